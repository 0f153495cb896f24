import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ERRORS } from '../../contract/errors.ts';
import { DESCRIPTIONS } from '../../contract/reference/failures.ts';
import { AiAccount, AiAudit, AiKeySpending } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { keptKey } from '../../test/support/platform-key.ts';
import { ConcurrentUpdateError } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { monthOf } from '../time.ts';
import { closeWindowsOf } from './closing.ts';
import {
  type Hold,
  HoldRefused,
  hold,
  holdCallSlot,
  MIN_BALANCE_MICRO_RAND,
  releaseHold,
  toHoldRefusal,
} from './credits.ts';
import { addCredits, newCreditEntry, payDebt, takeCredits } from './entries.ts';
import { fund } from './funding.ts';
import { monthAttribute } from './key-budgets.ts';
import { builtInOffer, chooseModel } from './models.ts';
import { microRandToRand } from './prices.ts';
import { estimator } from './prompt.ts';
import { type ChargedUsage, HoldExpired, settle } from './settlement.ts';
import { readSums } from './usage-sums.ts';
import { closesAt, windowAt } from './windows.ts';

const accountId = 'acc_1';
const RAND = 1_000_000;
const KEY = { sealed: { wrappedKey: '', iv: '', ciphertext: '' }, lastFour: 'abcd' };
const TOKENS = { inputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
const USED = { ...TOKENS, keyId: 'key_1', requestId: 'req_1', model: 'openai/gpt-4o', price: null, estimated: false };

/** Begins a call on credits as the gateway does. */
function begin(deps: Deps) {
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const request = { model: 'openai/gpt-4o', messages, max_tokens: 1 };
  const { provider, upstream, model } = chooseModel(builtInOffer(18, new Date('2026-11-01')), request.model);
  const text = JSON.stringify(request);
  const sent = { outputLimit: undefined, modelLimit: model?.outputLimit, estimate: estimator(request, text) };
  const keys = {
    keyRing: { get: () => undefined, open: async () => undefined },
    platformKey: () => keptKey('sk-own'),
  };
  const caller = { accountId, keyId: 'key_1' };
  const offer = { model, randPerDollar: 18, off: {} };
  return fund({ ...deps, ...keys }, caller, { provider, upstream, request, text, ...sent }, offer);
}

/** An account with credits, and the operations on them. */
async function credits(rand: number) {
  const { memory, startProcess } = simulation();
  const { deps } = startProcess();
  const read = async () => (await deps.table.get(AiAccount, { accountId })) ?? expect.fail('no account');
  const buy = async (microRand: number) => {
    const { debtMicroRand = 0 } = await read();
    const entry = newCreditEntry(deps, accountId, 'PURCHASE', microRand);
    const owed = Math.min(debtMicroRand, microRand);
    const payment = owed > 0 ? newCreditEntry(deps, accountId, 'ADJUSTMENT', -owed) : undefined;
    await deps.table.transact(addCredits(entry, payment));
  };
  const take = (microRand: number) => hold(deps, { accountId, keyId: 'key_1' }, 'openai', microRand);
  const refusal = (microRand = RAND) =>
    take(microRand).then(
      () => undefined,
      (error: unknown) => (error instanceof HoldRefused ? toHoldRefusal(error) : expect.fail(String(error))),
    );
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', rand * RAND)));
  const ledger = () => memory.items('AI_ENTRY').reduce((sum, { amountMicroRand }) => sum + Number(amountMicroRand), 0);
  return {
    deps,
    read,
    buy,
    take,
    refusal,
    ledger,
    end: (held: Hold, cost: number, used: ChargedUsage) => settle(deps, held, cost, used),
  };
}

test('a purchase schedules the close of its window and the check of its ledger', async () => {
  const { deps, read } = await credits(10);
  expect((await read()).dueAt).toBe(closesAt(windowAt(deps.now())).toISOString());
  expect(await deps.table.get(AiAudit, { accountId })).toMatchObject({ dueAt: deps.now().toISOString() });
});

test('credits are removed once, even after the window of their entry was closed', async () => {
  const { deps, read, ledger } = await credits(10);
  const taking = (microRand: number) =>
    takeCredits(newCreditEntry(deps, accountId, 'ADJUSTMENT', -microRand), () => new Error('too few'));
  await deps.table.transact(taking(4 * RAND));
  await closeWindowsOf({ ...deps, now: () => new Date(deps.now().getTime() + 40 * 60_000) }, accountId);
  expect(await read()).toMatchObject({ balanceMicroRand: 6 * RAND, availableMicroRand: 6 * RAND });
  expect(ledger()).toBe(6 * RAND);
  await expect(deps.table.transact(taking(7 * RAND))).rejects.toThrow('too few');
});

test('no entry of a closed window changes the balance: no close would include it', async () => {
  const { deps, read, buy, take, end, ledger } = await credits(1);
  // The call costs more than all credits. The purchase covers the debt, and does not pay it.
  await end(await take(RAND), 5 * RAND, USED);
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 6 * RAND)));
  const later = { ...deps, now: () => new Date(deps.now().getTime() + 40 * 60_000) };
  await closeWindowsOf(later, accountId);
  const before = await read();
  expect(before).toMatchObject({ balanceMicroRand: 6 * RAND, debtMicroRand: 4 * RAND });
  // This process has a clock that is set back to before the close.
  await expect(buy(RAND)).rejects.toBeInstanceOf(ConcurrentUpdateError);
  const adjustment = newCreditEntry(deps, accountId, 'ADJUSTMENT', RAND);
  await expect(deps.table.transact(addCredits(adjustment))).rejects.toBeInstanceOf(ConcurrentUpdateError);
  const taking = takeCredits(newCreditEntry(deps, accountId, 'ADJUSTMENT', -RAND), () => new Error('refused'));
  await expect(deps.table.transact(taking)).rejects.toThrow('refused');
  await payDebt(deps, before);
  expect(await read()).toEqual(before);
  expect(ledger()).toBe(6 * RAND);
  // A debt is paid as soon as the clock is right again.
  await payDebt(later, before);
  expect(await read()).toMatchObject({ balanceMicroRand: 2 * RAND, availableMicroRand: 2 * RAND });
});

test('no call begins in a closed window: a clock that is set back makes no call free', async () => {
  const { deps, read, refusal, take, end, ledger } = await credits(10);
  const at = (hours: number) => ({ ...deps, now: () => new Date(deps.now().getTime() + hours * 3_600_000) });
  await end(await take(RAND), RAND / 2, USED);
  await closeWindowsOf(at(3), accountId);
  expect(await refusal()).toMatchObject({ status: 503, message: expect.stringContaining('set back') });
  await closeWindowsOf(at(4), accountId);
  expect(await read()).toMatchObject({ balanceMicroRand: ledger(), availableMicroRand: ledger() });
  // Calls that the caller pays to the provider still work: they use no credits.
  await holdCallSlot(deps, { accountId, keyId: 'key_1' });
  await closeWindowsOf(deps, accountId);
  expect((await read()).openCalls).toBe(1);
});

test('a call needs the minimum of available credits, and no saved key for its provider', async () => {
  const { deps, take, refusal } = await credits(MIN_BALANCE_MICRO_RAND / RAND);
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, { set: { 'keys.openai': KEY } }));
  await expect(take(1)).rejects.toBeInstanceOf(HoldRefused);
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, { remove: ['keys.openai'] }));
  expect(await refusal(1)).toBeUndefined();
  // The balance is still the minimum: only the hold prevents the next call.
  expect(await refusal(1)).toMatchObject({ code: 'rate_limited' });
});

test.each([0, 1])('operators can lower the number of concurrent calls of an account to %i', async (callLimit) => {
  const { deps, take, refusal } = await credits(10);
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, { set: { callLimit } }));
  for (let calls = 0; calls < callLimit; calls += 1) await take(RAND);
  expect(await refusal()).toMatchObject({ code: 'rate_limited' });
});

test('a call that its account or the budget of its key refuses holds nothing in the other', async () => {
  const { deps, read, end } = await credits(10);
  const begin = () => hold(deps, { accountId, keyId: 'key_1', budgetMicroRand: RAND }, 'openai', RAND);
  await end(await begin(), RAND / 2, USED);
  const held = async () => {
    const { availableMicroRand, openCalls } = await read();
    const budget = await deps.table.get(AiKeySpending, { accountId, keyId: 'key_1' });
    return [availableMicroRand, openCalls, budget?.[monthAttribute('spent', monthOf(deps.now()))], budget?.openCalls];
  };
  const before = await held();
  const saveKey = { set: { 'keys.openai': KEY } };
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, saveKey));
  await expect(begin()).rejects.toBeInstanceOf(HoldRefused);
  expect(await held()).toEqual(before);
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, { remove: ['keys.openai'] }));
  await end(await begin(), RAND / 2, USED);
  await expect(begin()).rejects.toMatchObject({ code: 'insufficient_credits' });
  expect(await held()).toEqual([9 * RAND, 0, RAND, 0]);
});

test('a call beyond its hold whose window is closed before it is charged is free, and its account exact', async () => {
  const { deps, take, read, ledger } = await credits(10);
  const held = await take(RAND);
  const after = (minutes: number) => ({ ...deps, now: () => new Date(deps.now().getTime() + minutes * 60_000) });
  const get: typeof deps.table.get = async (entity, of) => {
    const found = await deps.table.get(entity, of);
    await closeWindowsOf(after(7), accountId);
    return found;
  };
  const late = settle({ ...deps, table: { ...deps.table, get } }, held, 2 * RAND, USED);
  await expect(late).rejects.toBeInstanceOf(ConcurrentUpdateError);
  expect(ledger()).toBe(10 * RAND);
  await closeWindowsOf(after(40), accountId);
  expect(await read()).toMatchObject({ balanceMicroRand: 10 * RAND, availableMicroRand: 10 * RAND, openCalls: 0 });
});

test('a call that ends when its hold expires is not charged', async () => {
  const { deps, take, ledger } = await credits(10);
  const held = await take(RAND);
  const late = { ...deps, now: () => new Date(held.expiresAt) };
  await expect(settle(late, held, RAND, USED)).rejects.toBeInstanceOf(HoldExpired);
  expect(ledger()).toBe(10 * RAND);
});

test('a change of credits during the close of their last window stays scheduled', async () => {
  const { deps, read } = await credits(10);
  const late = { ...deps, now: () => new Date(deps.now().getTime() + 40 * 60_000) };
  let isFirst = true;
  const get: typeof deps.table.get = async (entity, of) => {
    const found = await deps.table.get(entity, of);
    if (isFirst) {
      isFirst = false;
      const entry = newCreditEntry(late, accountId, 'ADJUSTMENT', -RAND);
      await deps.table.transact(takeCredits(entry, () => new Error('too few')));
    }
    return found;
  };
  await closeWindowsOf({ ...late, table: { ...deps.table, get } }, accountId);
  expect((await read()).dueAt).toBeDefined();
  await closeWindowsOf({ ...late, now: () => new Date(late.now().getTime() + 40 * 60_000) }, accountId);
  expect(await read()).toMatchObject({ balanceMicroRand: 9 * RAND, availableMicroRand: 9 * RAND });
  expect((await read()).dueAt).toBeUndefined();
});

test('the sums of a day count every input token of its calls, at any price', async () => {
  const { deps, take, end } = await credits(10);
  const tokens = { inputTokens: 1, cachedTokens: 20, cacheWriteTokens: 300, outputTokens: 4000 };
  for (const requestId of ['req_1', 'req_2']) await end(await take(RAND), 5, { ...USED, ...tokens, requestId });
  expect(await readSums(deps, accountId, '0')).toEqual([
    expect.objectContaining({ calls: 2, inputTokens: 642, outputTokens: 8000, microRand: 10 }),
  ]);
});

test("an account has no more open calls than its share of the installation's capacity, unless operators override it", async () => {
  const { steady } = simulation({ settings: { aiCallsPerAccount: 2 } });
  const { deps } = steady;
  const of = { accountId, keyId: 'key_1' };
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 100 * RAND)));
  const refusal = () =>
    hold(deps, of, 'openai', RAND).then(
      () => undefined,
      (error: unknown) => (error instanceof HoldRefused ? toHoldRefusal(error) : expect.fail(String(error))),
    );
  const open = await hold(deps, of, 'openai', RAND);
  expect(await refusal()).toBeUndefined();
  const tooMany = {
    code: 'rate_limited',
    retryAfter: 5,
    message: expect.stringContaining(
      'The limit for concurrent AI calls is reached: 2 (concurrentAiCalls). Wait for a call to end, or ask support',
    ),
  };
  expect(await refusal()).toMatchObject(tooMany);
  await expect(holdCallSlot(deps, of)).rejects.toMatchObject(tooMany);
  await releaseHold(deps, open);
  expect(await refusal()).toBeUndefined();

  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, { set: { callLimit: 3 } }));
  expect(await refusal()).toBeUndefined();
  expect(await refusal()).toMatchObject({
    message: expect.stringContaining('The limit for concurrent AI calls is reached: 3 '),
  });
});

test('a call of a key with a budget holds no more than the budget, and leaves the other credits to other keys', async () => {
  const { deps, read, take } = await credits(100);
  const key = { accountId, keyId: 'key_2', budgetMicroRand: RAND };
  const held = await hold(deps, key, 'openai', 115 * RAND);
  expect(held.granted).toBe(RAND);
  expect((await read()).availableMicroRand).toBe(99 * RAND);
  expect((await take(50 * RAND)).granted).toBe(50 * RAND);
  await releaseHold(deps, held);
  expect((await read()).availableMicroRand).toBe(50 * RAND);
});

test('a call of a key whose budget is nearly spent holds no more than the remaining budget', async () => {
  const { deps, read, take, end } = await credits(150);
  const key = { accountId, keyId: 'key_2', budgetMicroRand: 200 * RAND };
  await end(await hold(deps, key, 'openai', 100 * RAND), 99 * RAND, USED);
  const budgetMicroRand = 99.1 * RAND;
  const held = await hold(deps, { ...key, budgetMicroRand }, 'openai', 99 * RAND);
  expect(held).toMatchObject({ granted: 0.1 * RAND, microRand: 0.1 * RAND });
  expect((await read()).availableMicroRand).toBe(50.9 * RAND);
  expect((await take(50 * RAND)).granted).toBe(50 * RAND);
  await end(held, 0.1 * RAND, USED);
  expect((await read()).availableMicroRand).toBe(0.9 * RAND);
});

test('a debt is paid from a released hold before the next call starts', async () => {
  const { deps, read, take, refusal, end, ledger } = await credits(10);
  const [running, greedy] = [await take(8 * RAND), await take(2 * RAND)];
  expect(await end(greedy, 5 * RAND, USED)).toEqual({
    charged: 2 * RAND,
    writtenOff: 3 * RAND,
    recorded: false,
    failures: [],
  });
  expect(await read()).toMatchObject({ balanceMicroRand: 8 * RAND, availableMicroRand: 0, debtMicroRand: 3 * RAND });
  // The balance would cover it: only the hold of the running call prevents it.
  expect(await refusal()).toMatchObject({ code: 'rate_limited', retryAfter: 5 });
  expect(await payDebt(deps, await read())).toBe(false);

  await releaseHold(deps, running);
  expect(await refusal()).toMatchObject({ code: 'rate_limited' });
  await releaseHold(deps, (await begin(deps)).hold);
  const paid = await read();
  expect(paid).toMatchObject({ balanceMicroRand: 5 * RAND, availableMicroRand: 5 * RAND });
  expect(paid.debtMicroRand).toBeUndefined();
  expect(ledger()).toBe(5 * RAND);
  expect(await refusal()).toBeUndefined();
});

test('two payments of one debt at the same time pay it once', async () => {
  const { deps, read, take, end, ledger } = await credits(10);
  const [running, greedy] = [await take(9 * RAND), await take(RAND)];
  await end(greedy, 4 * RAND, USED);
  await releaseHold(deps, running);
  const seen = await read();
  await Promise.all([payDebt(deps, seen), payDebt(deps, seen)]);
  expect(await read()).toMatchObject({ balanceMicroRand: 6 * RAND, availableMicroRand: 6 * RAND });
  expect(ledger()).toBe(6 * RAND);
});

test('an account that owes more than it has gets 402 with the amount', async () => {
  const { take, end, refusal, buy, read } = await credits(1);
  await end(await take(RAND), 3.5 * RAND, USED);
  expect(await refusal()).toMatchObject({ code: 'insufficient_credits', message: expect.stringContaining('R2.50') });
  await buy(2 * RAND);
  expect(await read()).toMatchObject({ balanceMicroRand: 0, debtMicroRand: 0.5 * RAND });
  expect(await refusal()).toMatchObject({ code: 'insufficient_credits' });
  await buy(2 * RAND);
  expect(await read()).toMatchObject({
    balanceMicroRand: 1.5 * RAND,
    availableMicroRand: 1.5 * RAND,
    debtMicroRand: 0,
  });
  expect(await refusal()).toBeUndefined();
});

test('the minimum balance is the one that errors and the reference name', () => {
  const said = `below R${microRandToRand(MIN_BALANCE_MICRO_RAND)}`;
  for (const text of [ERRORS.insufficient_credits.message, DESCRIPTIONS.insufficient_credits])
    expect(text).toContain(said);
});

test('whatever calls cost, charges and debts add up, and the balance is never negative', async () => {
  const step = fc.oneof(
    fc.record({ act: fc.constant('call' as const), held: fc.integer({ min: 1, max: 5 }), cost: fc.nat(9) }),
    fc.record({ act: fc.constant('buy' as const), held: fc.constant(0), cost: fc.integer({ min: 1, max: 5 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { deps, read, buy, take, end, ledger } = await credits(3);
      let [bought, cost] = [3 * RAND, 0];
      for (const { act, held, cost: amount } of steps) {
        if (act === 'buy') {
          await buy(amount * RAND);
          bought += amount * RAND;
          continue;
        }
        await payDebt(deps, await read());
        const granted = await take(held * RAND).catch(() => undefined);
        if (!granted) continue;
        await end(granted, amount * RAND, USED);
        cost += amount * RAND;
      }
      const { balanceMicroRand, availableMicroRand, debtMicroRand = 0 } = await read();
      expect(balanceMicroRand).toBeGreaterThanOrEqual(0);
      expect(availableMicroRand).toBe(balanceMicroRand);
      expect(balanceMicroRand - debtMicroRand).toBe(bought - cost);
      expect(ledger()).toBe(balanceMicroRand);
    }),
    { numRuns: 200 },
  );
});
