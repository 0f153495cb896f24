import { expect, test } from 'vitest';
import { simulation } from '../../test/simulation/simulation.ts';
import { closeWindowsOf } from '../ai/closing.ts';
import { hold } from '../ai/credits.ts';
import { addCredits, newCreditEntry } from '../ai/entries.ts';
import { settle } from '../ai/settlement.ts';
import { WINDOW_MS } from '../ai/windows.ts';
import type { Caller } from '../deps.ts';
import { readOverview } from './overview.ts';

const accountId = 'acc_1';
const RAND = 1_000_000;

test("the rate of AI credits is made of sums and reads no call, however many are not in the day's sum yet", async () => {
  const asked: string[] = [];
  const { steady, clock } = simulation({
    through: (send) => async (operation, input) => {
      asked.push(JSON.stringify(input));
      return await send(operation, input);
    },
  });
  const { deps } = steady;
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 100 * RAND)));
  const held = await hold(deps, { accountId, keyId: 'key_1' }, 'openai', 10 * RAND);
  const tokens = { inputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
  const used = { ...tokens, requestId: 'req_1', price: null, estimated: false, keyId: 'key_1', model: 'm' };
  await settle(deps, held, 7 * RAND, used);
  const read = async () => {
    asked.length = 0;
    const { data } = await readOverview(deps, { accountId } as Caller);
    return [data.aiCredits.lasts?.perDay, asked.filter((input) => input.includes('AI_ENTRIES')).length];
  };
  expect(await read()).toEqual([undefined, 0]);
  clock.now += 2 * WINDOW_MS;
  await closeWindowsOf(deps, accountId);
  expect(await read()).toEqual(['1.00', 0]);
});
