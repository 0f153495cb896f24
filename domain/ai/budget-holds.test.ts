import { expect, test } from 'vitest';
import { AiKeySpending } from '../../table/entities/ai.ts';
import { aiAccount } from '../../test/simulation/ai-account.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { monthOf } from '../time.ts';
import { type BudgetHold, holdBudget, releaseBudget } from './budget-holds.ts';
import { alertNearBudget, monthAttribute } from './key-budgets.ts';
import { windowAt } from './windows.ts';

const of = { accountId: 'acc_1', keyId: 'key_1' };
const MINUTE_MS = 60_000;

const RAND = 1_000_000;
const budgeted = { ...of, budgetMicroRand: 10 * RAND };

/** A key with a budget of R10.00. */
function budget() {
  const { steady, clock, memory } = simulation();
  const { deps } = steady;
  const take = async (rand: number, key = budgeted) =>
    (await holdBudget(deps, key, rand * RAND, 5)) ?? expect.fail('no hold');
  const leave = async (hold: BudgetHold, chargedMicroRand: number) =>
    await releaseBudget(deps, hold, { window: windowAt(deps.now()), chargedMicroRand });
  const sum = async (of: 'spent' | 'charged') =>
    Number((await deps.table.get(AiKeySpending, budgeted))?.[monthAttribute(of, monthOf(deps.now()))] ?? 0) / RAND;
  const alerts = () => memory.items('EVENT').map(({ data }) => data);
  return { deps, clock, memory, take, leave, sum, alerts };
}

test('the calls of a key are never granted more than its budget in total, whatever they hold', async () => {
  const { take, leave, sum } = budget();
  const [first, second] = [await take(6), await take(7)];
  expect([first.granted, second.granted]).toEqual([6 * RAND, 4 * RAND]);
  await expect(take(1)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
  await leave(first, 2 * RAND);
  await leave(second, 4 * RAND);
  expect([await sum('spent'), await sum('charged')]).toEqual([6, 6]);
  const last = await take(5);
  expect(last.granted).toBe(4 * RAND);
  await leave(last, 4 * RAND);
  await expect(take(1)).rejects.toMatchObject({ code: 'insufficient_credits', message: /R10\.00 for 20\d\d-\d\d/ });
});

test('a call that costs no credits, and one of a key without a budget, hold nothing', async () => {
  const { deps, memory } = budget();
  expect(await holdBudget(deps, budgeted, 0, 5)).toBeUndefined();
  expect(await holdBudget(deps, of, RAND, 5)).toBeUndefined();
  expect(memory.items('AI_KEY_CALLS')).toEqual([]);
});

test('each month begins at zero', async () => {
  const { deps, clock, take, leave } = budget();
  await leave(await take(10), 10 * RAND);
  await expect(take(1)).rejects.toMatchObject({ code: 'insufficient_credits' });
  clock.now = Date.UTC(deps.now().getUTCFullYear(), deps.now().getUTCMonth() + 1, 1);
  await expect(take(1)).resolves.toMatchObject({ granted: RAND });
});

test('the hold of a crashed call is released to the budget, once', async () => {
  const { deps, clock, take, sum } = budget();
  const crashed = await take(10);
  await expect(take(1)).rejects.toMatchObject({ code: 'rate_limited' });
  clock.now += 21 * MINUTE_MS;
  await expect(take(3)).resolves.toMatchObject({ granted: 3 * RAND });
  // The process was only slow.
  await releaseBudget(deps, crashed);
  expect(await sum('spent')).toBe(3);
});

test('80% of a budget is announced once, and again after the budget is raised', async () => {
  const { take, leave, alerts } = budget();
  const call = async (rand: number, key = budgeted) => await leave(await take(rand, key), rand * RAND);
  await call(7);
  expect(alerts()).toEqual([]);
  await call(1);
  await call(1);
  expect(alerts()).toMatchObject([{ keyId: 'key_1', budget: '10.00', spent: '8.00' }]);
  const raised = { ...budgeted, budgetMicroRand: 20 * RAND };
  await call(6, raised);
  expect(alerts()).toHaveLength(1);
  await call(1, raised);
  expect(alerts()[1]).toMatchObject({ budget: '20.00', spent: '16.00' });
});

test('a call that read the sums before another call announced the budget does not announce it again', async () => {
  const { deps, take, leave, alerts } = budget();
  await leave(await take(8), 8 * RAND);
  expect(alerts()).toHaveLength(1);
  const month = monthOf(deps.now());
  const stale = { [monthAttribute('charged', month)]: 8 * RAND, [monthAttribute('alerted', month)]: 0 };
  await alertNearBudget(deps, { ...budgeted, month }, stale);
  expect(alerts()).toHaveLength(1);
});

test('the item of a key in constant use does not grow', async () => {
  const { deps, call, sweepFor } = await aiAccount();
  const sizes: number[] = [];
  for (let minute = 0; minute < 240; minute += 2) {
    await call(of.keyId, 0.01, 10);
    await sweepFor(2);
    sizes.push(Object.keys((await deps.table.get(AiKeySpending, of)) ?? {}).length);
  }
  expect(Math.max(...sizes)).toBeLessThan(40);
});
