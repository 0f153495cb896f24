import { SFNClient } from '@aws-sdk/client-sfn';
import { createExecutions, type Executions } from '../providers/executions.ts';
import { required } from './config.ts';

const client = new SFNClient({});

export const deployments = (): Executions => createExecutions(client, required('DEPLOYMENT_STATE_MACHINE_ARN'));
export const domainTasks = (): Executions => createExecutions(client, required('DOMAIN_STATE_MACHINE_ARN'));
export const teardowns = (): Executions => createExecutions(client, required('TEARDOWN_STATE_MACHINE_ARN'));
export const hosting = (): Executions => createExecutions(client, required('HOSTING_STATE_MACHINE_ARN'));
export const databaseMaking = (): Executions => createExecutions(client, required('DATABASE_STATE_MACHINE_ARN'));
export const doorKeeping = (): Executions => createExecutions(client, required('DOOR_STATE_MACHINE_ARN'));
