import { test } from 'vitest';
import { startProviders } from '../support/ai-calls.ts';
import { walk } from '../support/walks.ts';
import { accountWalks } from './accounts.ts';
import { aiWalks } from './ai.ts';
import { deploymentWalks } from './deployments.ts';
import { domainWalks } from './domains.ts';
import { lambdaWalks } from './lambda.ts';
import { queueWalks } from './queues.ts';
import { webhookWalks } from './webhooks.ts';

startProviders();

const WALKS = [...deploymentWalks, ...queueWalks, ...webhookWalks, ...domainWalks, ...accountWalks, ...aiWalks, ...lambdaWalks];

test.each(WALKS.map((each) => [`${each.page}: ${each.fault}`, each] as const))(
  '%s',
  async (_, each) => {
    await walk(each);
  },
  120_000,
);
