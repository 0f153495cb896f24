import { test } from 'vitest';
import { walk } from '../support/walks.ts';
import { deploymentWalks } from './deployments.ts';
import { domainWalks } from './domains.ts';
import { queueWalks } from './queues.ts';
import { webhookWalks } from './webhooks.ts';

const WALKS = [...deploymentWalks, ...queueWalks, ...webhookWalks, ...domainWalks];

test.each(WALKS.map((each) => [`${each.page}: ${each.fault}`, each] as const))(
  '%s',
  async (_, each) => {
    await walk(each);
  },
  120_000,
);
