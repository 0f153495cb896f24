import type { Walk } from '../support/walks.ts';
import { accountWalks } from './accounts.ts';
import { aiWalks } from './ai.ts';
import { checkWalks } from './checks.ts';
import { deploymentWalks } from './deployments.ts';
import { domainWalks } from './domains.ts';
import { jobWalks } from './jobs.ts';
import { lambdaWalks } from './lambda.ts';
import { queueWalks } from './queues.ts';
import { quotaWalks } from './quotas.ts';
import { webhookWalks } from './webhooks.ts';

/** All walks of the runbook. */
export const WALKS: Walk[] = [
  ...[...deploymentWalks, ...queueWalks, ...jobWalks, ...webhookWalks, ...domainWalks],
  ...[...accountWalks, ...aiWalks, ...lambdaWalks, ...quotaWalks, ...checkWalks],
];
