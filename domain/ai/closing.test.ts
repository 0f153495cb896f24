import { expect, test } from 'vitest';
import { AiAccount } from '../../table/entities/ai.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { closeWindowsOf } from './closing.ts';
import { hold, releaseHold } from './credits.ts';
import { addCredits, newCreditEntry } from './entries.ts';
import { readSpending } from './key-spending.ts';
import { settle } from './settlement.ts';
import { windowsOf } from './windows.ts';

/** Closes that come hours or months late, because no sweep ran in the meantime. */

const accountId = 'acc_1';
const RAND = 1_000_000;
const MINUTE_MS = 60_000;
const USED = {
  inputTokens: 1,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1,
  requestId: 'req_1',
  model: 'openai/gpt-4o',
  price: null,
  estimated: false,
};

async function account() {
  const { steady, clock, memory } = simulation();
  const { deps } = steady;
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 1000 * RAND)));
  const begin = (keyId: string, rand: number) => hold(deps, { accountId, keyId }, 'openai', rand * RAND);
  const call = async (keyId: string, rand: number) =>
    await settle(deps, await begin(keyId, rand), rand * RAND, { ...USED, keyId });
  const read = async () => (await deps.table.get(AiAccount, { accountId })) ?? expect.fail('no account');
  const sweepFor = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.now += MINUTE_MS;
      await closeWindowsOf(deps, accountId);
    }
  };
  return { deps, clock, memory, begin, call, read, sweepFor };
}

test('the windows of a day without a sweep are closed some at a time', async () => {
  const { clock, begin, call, read, sweepFor } = await account();
  for (let minute = 0; minute < 24 * 60; minute += 4) {
    // One call in five crashes.
    if (minute % 20 === 0) await begin('key_1', 0.1);
    await call('key_2', 0.1);
    clock.now += 4 * MINUTE_MS;
  }
  expect(windowsOf(await read())).toHaveLength(360);
  await sweepFor(1);
  const { dueAt } = await read();
  expect(Date.parse(String(dueAt)), 'the account is still due').toBeLessThanOrEqual(clock.now);
  await sweepFor(60);
  const closed = await read();
  expect(closed).toMatchObject({ balanceMicroRand: 964 * RAND, availableMicroRand: 964 * RAND, openCalls: 0 });
  expect(windowsOf(closed)).toEqual([]);
});

test('the windows of fifty keys are closed some at a time', async () => {
  const { deps, clock, begin, call, read, sweepFor } = await account();
  const keyIds = Array.from({ length: 50 }, (_, index) => `key_01kzzzzzzzzzzzzzzzzz${100_000 + index}`);
  for (let minute = 0; minute < 40; minute += 4) {
    for (const [index, keyId] of keyIds.entries()) {
      if (index % 3 === 0) await begin(keyId, 0.01);
      else if (index % 3 === 1) await releaseHold(deps, await begin(keyId, 0.01));
      else await call(keyId, 0.01);
    }
    clock.now += 4 * MINUTE_MS;
  }
  await sweepFor(60);
  const closed = await read();
  expect(closed).toMatchObject({ balanceMicroRand: 998.4 * RAND, availableMicroRand: 998.4 * RAND, openCalls: 0 });
  expect(windowsOf(closed)).toEqual([]);
  expect(Object.keys(closed).filter((name) => name.startsWith('open_'))).toEqual([]);
});

test.each([1, 2, 3, 14])('windows are closed that ended %i months ago', async (months) => {
  const { deps, clock, memory, call, read, sweepFor } = await account();
  await call('key_1', 2);
  const begun = new Date(clock.now);
  clock.now = Date.UTC(begun.getUTCFullYear(), begun.getUTCMonth() + months, 15);
  await sweepFor(30);
  expect(windowsOf(await read())).toEqual([]);
  expect(await readSpending(deps, accountId, ['key_1'])).toEqual(new Map([['key_1', 0]]));
  // Only the month before can still be of interest.
  expect(memory.items('AI_KEY_CALLS')).toHaveLength(months === 1 ? 1 : 0);
});
