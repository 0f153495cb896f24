import { expect, test } from 'vitest';
import { AUTO_TOP_UP_LIMITS } from '../../contract/billing/card-payments.ts';
import { Account } from '../../table/entities/accounts.ts';
import { TopUp } from '../../table/entities/billing.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { schedule } from '../../table/schedule.ts';
import { change, upsert } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { CARD, cardSimulation, RAND } from '../../test/simulation/card-payments.ts';
import { considerAutoTopUp, setAutoTopUp, willCardPay } from './auto-top-up.ts';
import { chargeTopUp } from './top-ups.ts';

/** Automatic top-ups that are postponed, and considered again without any other change of the account. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const { maxPerDay } = AUTO_TOP_UP_LIMITS;

async function cardHolder(amount: string, threshold: string) {
  const run = await cardSimulation();
  await run.setAccount({ card: CARD });
  await run.settings(amount, { threshold });
  /** Advances the clock, runs the schedule, and charges the card as the stream does. Returns the charges. */
  const waitFor = async (ms: number) => {
    const before = run.charged.length;
    run.clock.now += ms;
    await run.reconcile();
    const { autoTopUpId } = await run.account();
    if (autoTopUpId) await chargeTopUp(run.deps, autoTopUpId);
    return run.charged.slice(before);
  };
  const setSwitch = (off: SwitchState['off']) =>
    run.deps.table.write(SwitchState, upsert(SwitchState, {}, { set: { off, version: 1 } }));
  /** Returns the times for which the account is scheduled. */
  const waits = async () => {
    const { topUpAt, dueAt } = await run.account();
    return [topUpAt, dueAt];
  };
  return { ...run, waitFor, setSwitch, waits };
}

test('a top-up beyond the daily number is charged when the first of the day is 24 hours old, and not before', async () => {
  const { topUpAutomatically, waitFor, waits, charged, clock, memory } = await cardHolder('10.00', '100000.00');
  const first = clock.now;
  for (let turn = 0; turn <= maxPerDay; turn += 1) {
    await topUpAutomatically();
    clock.now += HOUR;
  }
  const until = new Date(first + DAY).toISOString();
  expect([charged.length, await waits()]).toEqual([maxPerDay, [until, until]]);
  // Another reason that has long been due.
  await waitFor(0);
  const { length } = memory.records;
  while (clock.now < first + DAY - MINUTE) expect(await waitFor(MINUTE)).toEqual([]);
  expect(memory.records).toHaveLength(length);
  expect(await waitFor(MINUTE)).toEqual([10 * RAND]);
  expect(await waits()).toEqual([undefined, undefined]);
  expectLedgerInvariants(memory);
});

test('a threshold out of reach never charges more than the daily limits in any 24 hours', async () => {
  const { topUpAutomatically, waitFor, clock } = await cardHolder('10.00', '100000.00');
  const times: number[] = [];
  await topUpAutomatically();
  times.push(clock.now);
  for (let turn = 0; turn < 4 * 24 * 4; turn += 1) {
    for (const _ of await waitFor(15 * MINUTE)) times.push(clock.now);
    await topUpAutomatically();
  }
  for (const end of times) {
    const within = times.filter((time) => time > end - DAY && time <= end);
    expect(within.length).toBeLessThanOrEqual(maxPerDay);
  }
  expect(times.length).toBeGreaterThan(2 * maxPerDay);
});

test('a top-up beyond the daily sum waits until enough of the sum is 24 hours old', async () => {
  const run = await cardHolder('40000.00', '100000.00');
  await run.topUpAutomatically();
  run.clock.now += HOUR;
  await run.topUpAutomatically();
  run.clock.now += HOUR;
  await run.topUpAutomatically();
  expect(run.charged).toHaveLength(2);
  expect(await run.waitFor(21 * HOUR)).toEqual([]);
  expect(await run.waitFor(HOUR)).toEqual([40_000 * RAND]);
});

test('a top-up that a switch prevents is charged after the switch is on again', async () => {
  const run = await cardHolder('100.00', '50.00');
  await run.setSwitch({ 'top-ups': { message: 'Back soon.', since: '' } });
  await run.topUpAutomatically();
  const { length } = run.memory.records;
  for (let minute = 0; minute < 60; minute += 1) expect(await run.waitFor(MINUTE)).toEqual([]);
  // Once every five minutes.
  expect(run.memory.records).toHaveLength(length + 12);
  await run.setSwitch({});
  expect(await run.waitFor(5 * MINUTE)).toEqual([100 * RAND]);
  expect(await run.waits()).toEqual([undefined, undefined]);
  expect(await run.waitFor(DAY)).toEqual([]);
});

test('nothing is charged if the balance recovers while a top-up waits', async () => {
  const run = await cardHolder('100.00', '50.00');
  await run.setSwitch({ 'top-ups': { message: 'Back soon.', since: '' } });
  await run.topUpAutomatically();
  await run.payIn(500);
  await run.setSwitch({});
  expect(await run.waitFor(2 * DAY)).toEqual([]);
  expect(await run.waits()).toEqual([undefined, undefined]);
});

test.each<[string, (of: Awaited<ReturnType<typeof cardHolder>>) => Promise<unknown>]>([
  ['disabled', ({ settings }) => settings('100.00', { enabled: false })],
  ['suspended', ({ setAccount }) => setAccount({ suspension: { reason: 'Stolen card.', since: '' } })],
  ['to be deleted', ({ setAccount }) => setAccount({ deletion: { requestedAt: '', endsAt: '' } })],
])('nothing is charged where the account was %s while a top-up was held back', async (_what, changeAccount) => {
  const run = await cardHolder('100.00', '50.00');
  await run.setSwitch({ 'top-ups': { message: 'Back soon.', since: '' } });
  await run.topUpAutomatically();
  await changeAccount(run);
  await run.setSwitch({});
  expect(await run.waitFor(5 * MINUTE)).toEqual([]);
  expect(await run.waits()).toEqual([undefined, undefined]);
});

test.each<[string, Partial<Account>]>([
  ['is suspended', { suspension: { reason: 'Stolen card.', since: '' } }],
  ['will be deleted', { deletion: { requestedAt: '', endsAt: '' } }],
  ['has no card', { card: undefined }],
  ['has exactly the threshold', { walletCents: 50 * RAND }],
])('no top-up starts where the account %s', async (_what, set) => {
  const run = await cardHolder('100.00', '50.00');
  if ('card' in set) await run.deps.table.transact([change(Account, { id: run.accountId }, { remove: ['card'] })]);
  else await run.setAccount(set);
  await considerAutoTopUp(run.deps, run.accountId);
  expect(run.memory.items('TOP_UP')).toEqual([]);
});

test.each<Partial<NonNullable<Account['autoTopUp']>>>([
  { enabled: false },
  { thresholdCents: 70 * RAND },
  { amountCents: 70 * RAND },
])('a change of the settings keeps what has changed at the same time: %o', async (meanwhile) => {
  const run = await cardHolder('100.00', '50.00');
  const { deps, accountId } = run;
  const stored = { enabled: true, thresholdCents: 50 * RAND, amountCents: 100 * RAND, ...meanwhile };
  const given = 'amountCents' in meanwhile ? { threshold: '20.00' } : { amount: '20.00' };
  const wanted = 'amountCents' in meanwhile ? { thresholdCents: 20 * RAND } : { amountCents: 20 * RAND };
  let attempts = 0;
  const commit: typeof deps.commit = async (...args) => {
    attempts += 1;
    if (attempts === 1) await run.setAccount({ autoTopUp: stored });
    return await deps.commit(...args);
  };
  await setAutoTopUp({ ...deps, commit }, { accountId, keyId: '' }, { enabled: true, ...given });
  expect(attempts).toBe(2);
  expect((await run.account()).autoTopUp).toEqual({ ...stored, ...wanted, enabled: true });
});

test('a top-up that is cancelled before its charge does not count towards the daily limits', async () => {
  const run = await cardHolder('60000.00', '50.00');
  await considerAutoTopUp(run.deps, run.accountId);
  await run.setSwitch({ 'top-ups': { message: 'Back soon.', since: '' } });
  const { autoTopUpId = '' } = await run.account();
  await chargeTopUp(run.deps, autoTopUpId);
  expect(run.charged).toEqual([]);
  await run.setSwitch({});
  await run.topUpAutomatically();
  expect(run.charged).toEqual([60_000 * RAND]);
  expectLedgerInvariants(run.memory);
});

test.each([
  ['before it reads the top-up again', SwitchState, 1],
  ['after it has read the top-up again', TopUp, 2],
])('a top-up that another run charges while one cancels it counts in the bounds: %s', async (_, entity, ordinal) => {
  const { deps, accountId, setSwitch, account, charged, memory } = await cardHolder('60000.00', '50.00');
  await considerAutoTopUp(deps, accountId);
  const { autoTopUpId = '' } = await account();
  await setSwitch({ 'top-ups': { message: 'Back soon.', since: '' } });
  const [begun, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const charge: typeof deps.payments.charge = async (of) => {
    begun.resolve();
    await cancelled.promise;
    await deps.payments.charge(of);
  };
  let other: Promise<void> | undefined;
  let reads = 0;
  const get: typeof deps.table.get = async (of, key) => {
    const found = await deps.table.get(of, key);
    if (!Object.is(of, entity)) return found;
    reads += 1;
    if (reads !== ordinal) return found;
    await setSwitch({});
    other = chargeTopUp({ ...deps, payments: { ...deps.payments, charge } }, autoTopUpId);
    await begun.promise;
    return found;
  };
  await chargeTopUp({ ...deps, table: { ...deps.table, get } }, autoTopUpId);
  const meanwhile = await account();
  cancelled.resolve();
  await other;
  expect(meanwhile).toMatchObject({ autoTopUpId, autoTopUpHistory: [{ amountCents: 60_000 * RAND }] });
  expect(charged).toEqual([60_000 * RAND]);
  expect((await account()).autoTopUpHistory).toHaveLength(1);
  expect(await deps.table.get(TopUp, { id: autoTopUpId })).toMatchObject({ status: 'SUCCEEDED' });
  expectLedgerInvariants(memory);
});

test('an account that becomes due for another reason while a top-up starts stays due', async () => {
  const { deps, accountId, account, setAccount, clock } = await cardHolder('100.00', '50.00');
  const reapplyAt = new Date(clock.now + MINUTE).toISOString();
  const { commit } = deps;
  deps.commit = async (...args) => {
    deps.commit = commit;
    await setAccount({ reapplyAt, ...schedule(Account, reapplyAt) });
    return await commit(...args);
  };
  await considerAutoTopUp(deps, accountId);
  expect(await account()).toMatchObject({ autoTopUpId: expect.any(String), dueAt: reapplyAt });
});

test.each<[string, number, boolean, Partial<Account>, { threshold?: string; isOff?: boolean }?]>([
  ['that covers it exactly', 120, true, {}],
  ['that does not cover it', 120.01, false, {}],
  ['that would cover it without the frozen money', 120, false, { frozenCents: 1 }],
  ['below no threshold that covers it exactly', 120, true, {}, { threshold: '0.00' }],
  ['that is not needed for it', 20, false, {}, { threshold: '0.00' }],
  ['that has started', 120, true, { autoTopUpId: 'pay_1', noAutoTopUpBefore: '2100' }],
  ['that is paused', 120, false, { noAutoTopUpBefore: '2100' }],
  ['while top-ups are switched off', 120, false, {}, { isOff: true }],
])('a top-up %s: an invoice of R%d is about to be paid: %s', async (_, due, expected, fields, options = {}) => {
  const { threshold = '50.00', isOff = false } = options;
  const { deps, account, setAccount, setSwitch } = await cardHolder('100.00', threshold);
  await setAccount({ walletCents: 20 * RAND, ...fields });
  if (isOff) await setSwitch({ 'top-ups': { message: 'Back soon.', since: '' } });
  expect(await willCardPay(deps, await account(), Math.round(due * RAND))).toBe(expected);
});
