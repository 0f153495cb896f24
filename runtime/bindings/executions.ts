import { SFNClient } from '@aws-sdk/client-sfn';
import { createExecutions } from '../../providers/workflows/executions.ts';
import { required } from '../config.ts';

const client = new SFNClient({});

/** The state machines that functions start. */
export const machines = {
  deployments: createExecutions(client, required('DEPLOYMENT_STATE_MACHINE_ARN')),
  domainTasks: createExecutions(client, required('DOMAIN_STATE_MACHINE_ARN')),
  teardowns: createExecutions(client, required('TEARDOWN_STATE_MACHINE_ARN')),
  hosting: createExecutions(client, required('HOSTING_STATE_MACHINE_ARN')),
  databaseWork: createExecutions(client, required('DATABASE_STATE_MACHINE_ARN')),
  tenantExecutions: createExecutions(client, required('TENANT_STATE_MACHINE_ARN')),
};
