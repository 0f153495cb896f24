import { SFNClient } from '@aws-sdk/client-sfn';
import { createExecutions } from '../../providers/workflows/executions.ts';
import { required } from '../config.ts';

const client = new SFNClient({});

/** Every state machine that is started from inside. */
export const machines = {
  deployments: createExecutions(client, required('DEPLOYMENT_STATE_MACHINE_ARN')),
  domainTasks: createExecutions(client, required('DOMAIN_STATE_MACHINE_ARN')),
  teardowns: createExecutions(client, required('TEARDOWN_STATE_MACHINE_ARN')),
  hosting: createExecutions(client, required('HOSTING_STATE_MACHINE_ARN')),
  databaseMaking: createExecutions(client, required('DATABASE_STATE_MACHINE_ARN')),
  doorKeeping: createExecutions(client, required('DOOR_STATE_MACHINE_ARN')),
};
