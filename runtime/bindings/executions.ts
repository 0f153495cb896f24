import { SFNClient } from '@aws-sdk/client-sfn';
import { sdkTimeouts } from '../../providers/aws-timeouts.ts';
import { createExecutions } from '../../providers/workflows/executions.ts';
import { originFields } from '../../table/correlation.ts';
import { required } from '../config.ts';
import { deployments } from './deployment-executions.ts';

const client = new SFNClient(sdkTimeouts());

/** The state machines that functions start. */
export const machines = {
  deployments,
  domainTasks: createExecutions(client, required('DOMAIN_STATE_MACHINE_ARN'), originFields),
  teardowns: createExecutions(client, required('TEARDOWN_STATE_MACHINE_ARN'), originFields),
  hosting: createExecutions(client, required('HOSTING_STATE_MACHINE_ARN'), originFields),
  databaseWork: createExecutions(client, required('DATABASE_STATE_MACHINE_ARN'), originFields),
  tenantExecutions: createExecutions(client, required('TENANT_STATE_MACHINE_ARN'), originFields),
};
