import type { Walk } from '../support/walks.ts';
import { accountWalks } from './accounts.ts';
import { aiWalks } from './ai.ts';
import { apiWalks } from './api.ts';
import { checkWalks } from './checks.ts';
import { databaseWalks } from './databases.ts';
import { deploymentWalks } from './deployments.ts';
import { domainWalks } from './domains.ts';
import { edgeWalks } from './edge.ts';
import { executionWalks } from './executions.ts';
import { jobWalks } from './jobs.ts';
import { lambdaWalks } from './lambda.ts';
import { operatorWalks } from './operators.ts';
import { queueWalks } from './queues.ts';
import { quotaWalks } from './quotas.ts';
import { webhookWalks } from './webhooks.ts';

/** All walks of the runbook. */
export const WALKS: Walk[] = [
  ...deploymentWalks,
  ...databaseWalks,
  ...queueWalks,
  ...jobWalks,
  ...webhookWalks,
  ...domainWalks,
  ...apiWalks,
  ...executionWalks,
  ...edgeWalks,
  ...operatorWalks,
  ...accountWalks,
  ...aiWalks,
  ...lambdaWalks,
  ...quotaWalks,
  ...checkWalks,
];
