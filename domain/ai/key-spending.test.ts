import { expect, test } from 'vitest';
import { AiEntry, AiKeySpending, aiEntriesOf } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { aiAccount, MINUTE_MS, RAND, USED } from '../../test/simulation/ai-account.ts';
import { releaseBudget } from './budget-holds.ts';
import { closeWindowsOf } from './closing.ts';
import { addedAttribute } from './key-budgets.ts';
import { readSpending } from './key-spending.ts';
import { settle } from './settlement.ts';
import { windowAt } from './windows.ts';

/** An account, and the spending of keys in rand as a read returns it. */
async function account() {
  const world = await aiAccount();
  const spent = async (...keyIds: string[]) => {
    const spending = await readSpending(world.deps, world.accountId, keyIds);
    return keyIds.map((keyId) => Number(spending.get(keyId)) / RAND);
  };
  return { ...world, spent };
}

test('the spending of keys is exact immediately and after their window is closed, with a budget and without', async () => {
  const { call, spent, sweepFor, memory } = await account();
  await call('key_1', 2);
  await call('key_1', 3);
  await call('key_2', 4, 10);
  expect(await spent('key_1', 'key_2', 'key_3')).toEqual([5, 4, 0]);
  for (let minute = 0; minute < 12; minute += 1) {
    await sweepFor(1);
    expect(await spent('key_1', 'key_2', 'key_3')).toEqual([5, 4, 0]);
  }
  await call('key_1', 1);
  expect(await spent('key_1')).toEqual([6]);
  await sweepFor(12);
  expect(await spent('key_1')).toEqual([6]);
  expect(memory.items('AI_KEY_CALLS')).toHaveLength(2);
});

test('charges from before a key had a budget count towards it once their window is closed, and none twice', async () => {
  const { deps, begin, call, spent, sweepFor } = await account();
  // A call that began without the budget ends after it is set.
  const running = await begin('key_1', 2);
  await call('key_1', 6);
  await call('key_1', 1, 10);
  await settle(deps, running, 2 * RAND, { ...USED, keyId: 'key_1' });
  expect(await spent('key_1')).toEqual([9]);
  await sweepFor(12);
  expect(await spent('key_1')).toEqual([9]);
  await expect(begin('key_1', 5, 10)).resolves.toMatchObject({ granted: RAND });
  await expect(begin('key_1', 5, 9)).rejects.toMatchObject({ code: 'insufficient_credits' });
});

test('a close that is repeated adds the spending of a window once', async () => {
  const { deps, accountId, clock, call, spent } = await account();
  await call('key_1', 2);
  clock.now += 10 * MINUTE_MS;
  await Promise.all([closeWindowsOf(deps, accountId), closeWindowsOf(deps, accountId)]);
  await closeWindowsOf(deps, accountId);
  expect(await spent('key_1')).toEqual([2]);
  expect(await deps.table.get(AiKeySpending, { accountId, keyId: 'key_1' })).toMatchObject({ openCalls: 0 });
});

test('the spending of a month does not include that of the month before', async () => {
  const { clock, call, spent, sweepFor, deps } = await account();
  const nextMonth = Date.UTC(deps.now().getUTCFullYear(), deps.now().getUTCMonth() + 1, 1);
  clock.now = nextMonth - MINUTE_MS;
  await call('key_1', 2);
  clock.now = nextMonth;
  expect(await spent('key_1')).toEqual([0]);
  await call('key_1', 1);
  expect(await spent('key_1')).toEqual([1]);
  await sweepFor(12);
  expect(await spent('key_1')).toEqual([1]);
});

test('a call that charges its budget after its window was closed charges nothing twice', async () => {
  const { deps, clock, begin, spent, sweepFor } = await account();
  const { budget, ...held } = await begin('key_1', 2, 10);
  // The process hangs between the entry and the item of the key.
  const entry = { window: windowAt(deps.now()), chargedMicroRand: 2 * RAND };
  const usage = { ...USED, keyId: 'key_1' };
  const hanging = { ...deps.table, updateReturningChanged: () => Promise.reject(new Error('hangs')) };
  await settle({ ...deps, table: hanging }, { ...held, budget }, 2 * RAND, usage);
  expect(await spent('key_1')).toEqual([0]);
  await sweepFor(7);
  expect(await spent('key_1')).toEqual([2]);
  await releaseBudget(deps, budget ?? expect.fail('no hold'), entry);
  expect(await spent('key_1')).toEqual([2]);
  // The hold ends with the calls of its window.
  await expect(begin('key_1', 9, 10)).resolves.toMatchObject({ granted: 6 * RAND });
  clock.now += 24 * MINUTE_MS;
  await expect(begin('key_1', 9, 10)).resolves.toMatchObject({ granted: 8 * RAND });
});

test('a charge of an earlier version, whose call added it to the month of its key, is not added again', async () => {
  const { deps, accountId, call, spent, sweepFor } = await account();
  await call('key_1', 4, 10);
  const window = windowAt(deps.now());
  const key = { accountId, keyId: 'key_1' };
  await deps.table.updateReturningChanged(change(AiKeySpending, key, { remove: [addedAttribute(window)] }));
  for await (const { type, id } of deps.table.each(AiEntry, aiEntriesOf(accountId), ''))
    if (type === 'CALL')
      await deps.table.updateReturningChanged(change(AiEntry, { accountId, id }, { remove: ['keyRestAtClose'] }));
  await sweepFor(12);
  expect(await spent('key_1')).toEqual([4]);
});
