import { expect, test } from 'vitest';
import { Account } from '../../../table/entities/accounts.ts';
import { AiAccount } from '../../../table/entities/ai.ts';
import { Invoice, Subscription } from '../../../table/entities/billing.ts';
import { Zone } from '../../../table/entities/dns.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { Domain } from '../../../table/entities/registrar.ts';
import { schedule, unschedule } from '../../../table/schedule.ts';
import { change, create } from '../../../table/writes.ts';
import {
  DAY_MS,
  deletionSimulation,
  EMAIL,
  expectForgotten,
  finish,
} from '../../../test/simulation/account-deletion.ts';
import { hold } from '../../ai/credits.ts';
import { readNothing, withWallet } from '../../billing/wallet.ts';
import { requestDeletion } from './deletion.ts';

/** Conditions that the deletion of an account waits for, and its refund. */

test('a deletion waits for hosting that is removed, and whose domain is not free yet', async () => {
  const given = await deletionSimulation();
  const { deps, caller, clock, accountId, run, read, steady } = given;
  const of = { accountId, id: 'sub_2' };
  await deps.table.transact([
    change(HostingAccount, of, { set: schedule(HostingAccount, '2027-01-01T00:00:00.000Z') }),
  ]);
  await requestDeletion(deps, caller, { confirm: EMAIL });
  clock.now += 7 * DAY_MS;
  for (let runs = 0; runs < 5; runs += 1) {
    expect(await run(steady)).toEqual([]);
    await given.teardown();
    clock.now += 130_000;
  }
  expect([await read(), await deps.table.get(HostingAccount, of)]).toMatchObject([
    { status: 'RUNNING' },
    { id: of.id },
  ]);
  await deps.table.transact([change(HostingAccount, of, { remove: unschedule(HostingAccount) })]);
  await finish(given);
  await expectForgotten(given);
});

test('a deletion puts hosting that is removed at that moment in no queue', async () => {
  const given = await deletionSimulation();
  const { deps, caller, clock, accountId, run, steady } = given;
  const of = { accountId, id: 'sub_2' };
  const ends = { set: { currentPeriodEnd: '2027-01-01T00:00:00.000Z' } };
  const served = { set: { status: 'SUSPENDED', ...schedule(HostingAccount, '2027-01-01T00:00:00.000Z') } };
  await deps.table.transact([change(Subscription, of, ends), change(HostingAccount, of, served)]);
  await requestDeletion(deps, caller, { confirm: EMAIL });
  clock.now += 7 * DAY_MS;
  let reads = 0;
  const get: typeof deps.table.get = async (entity, key) => {
    const found = await deps.table.get(entity, key);
    if (!Object.is(entity, HostingAccount) || !found) return found;
    reads += 1;
    // The suspension of the customer's account has read it before.
    if (reads !== 2) return found;
    const removed = { set: { status: 'REMOVED' }, remove: unschedule(HostingAccount) };
    await deps.table.transact([change(HostingAccount, of, removed)]);
    return found;
  };
  expect(await run({ ...steady, deps: { ...deps, table: { ...deps.table, get } } })).toEqual([]);
  expect(reads).toBe(2);
  expect(await deps.table.get(HostingAccount, of)).not.toHaveProperty('dueAt');
  await finish(given);
  await expectForgotten(given);
});

test('a deletion waits for the registrar, and for renewals that are paid', async () => {
  const given = await deletionSimulation();
  const { deps, accountId, clock, run, read, steady } = given;
  const of = { accountId, id: 'dom_1' };
  const at = new Date(clock.now).toISOString();
  const renewal = { invoiceId: 'inv_1', years: 1 };
  const task = { kind: 'RENEW' as const, ...renewal, since: at, execution: 'dom_1-inv_1' };
  await deps.table.transact([
    change(Domain, of, { set: { renewal } }),
    create(Invoice, {
      accountId,
      id: 'inv_1',
      number: 'INV-2026-000009',
      kind: 'DOMAIN',
      status: 'PAID',
      amountCents: 100,
      vatCents: 13,
      issuedAt: at,
      payBy: at,
      paidAt: at,
      lines: [],
    }),
  ]);
  await requestDeletion(deps, given.caller, { confirm: EMAIL });
  clock.now += 7 * DAY_MS;
  const stays = async () => {
    for (let runs = 0; runs < 3; runs += 1) {
      clock.now += 130_000;
      expect(await run(steady)).toEqual([]);
      await given.teardown();
    }
    expect(await read()).toMatchObject({ status: 'RUNNING', dueAt: expect.any(String) });
    expect(await deps.table.get(Domain, of)).toMatchObject({ autoRenew: true, owner: { name: 'Thandi' } });
  };
  await stays();
  await deps.table.transact([change(Domain, of, { set: { task } })]);
  await stays();
  await deps.table.transact([change(Domain, of, { remove: ['task', 'renewal'] })]);
  await finish(given);
  expect(await deps.table.get(Domain, of)).toMatchObject({ autoRenew: false, owner: { name: '', email: '' } });
});

test('a refund holds what ended AI calls did not use, what was refunded meanwhile, and no debt', async () => {
  const given = await deletionSimulation();
  const { deps, accountId, clock, run, read, steady } = given;
  await requestDeletion(deps, given.caller, { confirm: EMAIL });
  clock.now += 7 * DAY_MS - 60_000;
  await hold(deps, { accountId, keyId: '' }, 'openai', 2_000_000);
  clock.now += 60_000;
  for (let runs = 0; runs < 3; runs += 1) {
    expect(await run(steady)).toEqual([]);
    await given.teardown();
    clock.now += 130_000;
  }
  // The call may run yet.
  expect(await read()).toMatchObject({ status: 'RUNNING', dueAt: expect.any(String) });
  await deps.table.transact([change(AiAccount, { accountId }, { set: { debtMicroRand: 500_000 } })]);
  await withWallet(deps, accountId, readNothing, async (wallet) => {
    wallet.move('ADJUSTMENT', 25, 'A refund');
    await deps.commit(wallet.writes(), {});
  });
  await finish(given);
  expect(await read()).toMatchObject({ refundCents: 3850 + 25 + 300 - 50 });
  expect(given.memory.items('AI_ACCOUNT')).toEqual([]);
});

test('a deletion waits while a card payment is disputed, and refunds neither what is frozen nor what the bank took back', async () => {
  for (const isLost of [false, true]) {
    const given = await deletionSimulation();
    const { deps, accountId, clock, run, read, steady } = given;
    await requestDeletion(deps, given.caller, { confirm: EMAIL });
    const freeze = (frozenCents: number) =>
      deps.table.transact([change(Account, { id: accountId }, { set: { frozenCents } })]);
    await freeze(1000);
    clock.now += 7 * DAY_MS;
    for (let runs = 0; runs < 3; runs += 1) {
      expect(await run(steady)).toEqual([]);
      await given.teardown();
      clock.now += 130_000;
    }
    expect(await read()).toMatchObject({
      status: 'RUNNING',
      refundCents: 3850 - 1000 + 300,
      dueAt: expect.any(String),
    });
    expect(await deps.table.get(Account, { id: accountId })).toMatchObject({ name: 'Thandi' });
    // The wallet was spent on AI credits before the bank took the money back.
    await withWallet(deps, accountId, readNothing, async (wallet) => {
      if (isLost) wallet.postChargeback(4000, 'Disputed card payment');
      await deps.commit(wallet.writes({ set: { frozenCents: 0 } }), {});
    });
    await finish(given);
    expect(await read()).toMatchObject({ refundCents: isLost ? 3850 - 4000 + 300 : 3850 + 300 });
  }
});

test('a deletion waits for a dispute that is opened during the removal, and refunds what the bank leaves', async () => {
  const given = await deletionSimulation();
  const { deps, accountId, clock, run, read, steady } = given;
  await requestDeletion(deps, given.caller, { confirm: EMAIL });
  clock.now += 7 * DAY_MS;
  given.slowDown(3000);
  for (let runs = 0; (await read())?.removal === undefined; runs += 1) {
    expect(runs).toBeLessThan(20);
    expect(await run(steady)).toEqual([]);
    await given.teardown();
    clock.now += 130_000;
  }
  given.slowDown(0);
  const freeze = (frozenCents: number) =>
    deps.table.transact([change(Account, { id: accountId }, { set: { frozenCents } })]);
  await freeze(1000);
  for (let runs = 0; runs < 5; runs += 1) {
    expect(await run(steady)).toEqual([]);
    clock.now += 3700_000;
  }
  expect(await read()).toMatchObject({ status: 'RUNNING', dueAt: expect.any(String) });
  // The name servers are not asked every hour meanwhile.
  expect((await deps.table.get(Zone, { accountId, domainId: 'dom_1' }))?.version).toBe(1);
  await freeze(0);
  await finish(given);
  expect(await read()).toMatchObject({ status: 'DELETED', refundCents: 3850 + 300 });
});
