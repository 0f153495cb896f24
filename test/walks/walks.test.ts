import { test } from 'vitest';
import { startProviders } from '../support/ai-calls.ts';
import { walk } from '../support/walks.ts';
import { WALKS } from './all.ts';

startProviders();

test.each(WALKS.map((each) => [`${each.page}: ${each.fault}`, each] as const))(
  '%s',
  async (_, each) => {
    await walk(each);
  },
  120_000,
);
