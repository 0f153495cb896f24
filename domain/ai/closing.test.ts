import { expect, test } from 'vitest';
import { aiAccount, MINUTE_MS, RAND } from '../../test/simulation/ai-account.ts';
import { releaseHold } from './credits.ts';
import { readSpending } from './key-spending.ts';
import { windowsOf } from './windows.ts';

/** Closes that come hours or months late, because no sweep ran in the meantime. */

test('the windows of a day without a sweep are closed some at a time', async () => {
  const { clock, begin, call, read, sweepFor } = await aiAccount();
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
  const { deps, clock, begin, call, read, sweepFor } = await aiAccount();
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
  const { deps, accountId, clock, memory, call, read, sweepFor } = await aiAccount();
  await call('key_1', 2);
  const begun = new Date(clock.now);
  clock.now = Date.UTC(begun.getUTCFullYear(), begun.getUTCMonth() + months, 15);
  await sweepFor(30);
  expect(windowsOf(await read())).toEqual([]);
  expect(await readSpending(deps, accountId, ['key_1'])).toEqual(new Map([['key_1', 0]]));
  // Only the month before can still be of interest.
  expect(memory.items('AI_KEY_CALLS')).toHaveLength(months === 1 ? 1 : 0);
});
