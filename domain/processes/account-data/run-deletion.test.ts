import { expect, test } from 'vitest';
import { Account, Login } from '../../../table/entities/accounts.ts';
import { WalletTransaction } from '../../../table/entities/billing.ts';
import { Domain, DomainName } from '../../../table/entities/registrar.ts';
import { Delivery, DeliveryAttempt } from '../../../table/entities/webhooks.ts';
import { change, create } from '../../../table/writes.ts';
import {
  DAY_MS,
  deletionSimulation,
  EMAIL,
  expectForgotten,
  finish,
} from '../../../test/simulation/account-deletion.ts';
import { crashAt, toleratingFaults } from '../../../test/simulation/simulation.ts';
import { auditIn } from '../../../test/support/memory-table.ts';
import { issueInvoice } from '../../billing/invoices.ts';
import { readNothing, withWallet } from '../../billing/wallet.ts';
import { endDomain } from '../../registrar/tasks.ts';
import { cancelDeletion, requestDeletion } from './deletion.ts';

test('a deletion begins after the grace period, and leaves what the law asks for without a name', async () => {
  const given = await deletionSimulation();
  const { deps, caller, clock, memory, run, steady } = given;
  const { data } = await requestDeletion(deps, caller, { confirm: ' Thandi@example.com' });
  expect(data).toMatchObject({ status: 'GRACE', refund: '41.50', deletedAt: null });
  clock.now += 6 * DAY_MS;
  await run(steady);
  expect(memory.items('APP')).toMatchObject([{ status: 'RUNNING' }]);
  clock.now += DAY_MS;
  await finish(given);
  await expectForgotten(given);
  expect(auditIn(memory)).toEqual(expect.arrayContaining(['account.deletion-begun', 'account.deleted']));
});

test('the domain of a deleted account is forgotten after it has ended', async () => {
  const given = await deletionSimulation();
  const { deps, caller, clock, accountId, memory } = given;
  await requestDeletion(deps, caller, { confirm: EMAIL });
  clock.now += 7 * DAY_MS;
  await finish(given);
  const of = { accountId, id: 'dom_1' };
  await deps.table.transact([create(DomainName, { name: 'shop.co.za', accountId, domainId: of.id })]);
  const domain = (await deps.table.get(Domain, of)) ?? expect.unreachable();
  await endDomain(deps, domain, 'EXPIRED', { task: 'absent' });
  const expiresAtEpoch = clock.now / 1000 + 30 * 86_400;
  expect(memory.items('DOMAIN').find(({ id }) => id === of.id)).toMatchObject({ status: 'EXPIRED', expiresAtEpoch });
  expect(memory.items('ZONE').filter(({ domainId }) => domainId === of.id)).toEqual([]);
});

test('a deletion survives a crash at every call', async () => {
  for (let number = 1, reached = true; reached; number += 1) {
    const given = await deletionSimulation(crashAt(number, number % 2 === 0 ? 'before' : 'after'));
    await requestDeletion(given.deps, given.caller, { confirm: EMAIL });
    given.clock.now += 7 * DAY_MS;
    for (let runs = 0; runs < 4 && given.calls() < number; runs += 1) {
      await toleratingFaults(() => given.run(given.startProcess()));
      await given.teardown();
      given.clock.now += 130_000;
    }
    reached = given.calls() >= number;
    if ((await given.read())?.status !== 'DELETED') await finish(given);
    await expectForgotten(given);
  }
}, 180_000);

test('a deletion of much data ends in slices, each of which continues where the last one ended, names first', async () => {
  const given = await deletionSimulation();
  const { deps, accountId, clock, memory, run, read, steady } = given;
  const at = new Date(clock.now).toISOString();
  const entry = { accountId, type: 'ADJUSTMENT' as const, amountCents: 0, balanceAfterCents: 3850, description: '' };
  for (let last = 2; last < 1502; last += 50)
    await deps.table.transact([
      ...Array.from({ length: 50 }, (_, n) =>
        create(WalletTransaction, { ...entry, serial: last + n + 1, createdAt: at }),
      ),
      change(Account, { id: accountId }, { set: { walletVersion: last + 50 } }),
    ]);
  await requestDeletion(deps, given.caller, { confirm: EMAIL });
  clock.now += 7 * DAY_MS;
  const keptOf = () => memory.items('WALLET_TRANSACTION').filter((item) => 'expiresAtEpoch' in item).length;
  const since = memory.records.length;
  given.slowDown(1000);
  const kept: number[] = [];
  for (let runs = 0; runs < 50 && (await read())?.status !== 'DELETED'; runs += 1) {
    const began = clock.now;
    expect(await run(steady)).toEqual([]);
    expect(clock.now - began).toBeLessThan(25_000);
    const { removal } = (await read()) ?? {};
    if (removal) kept.push(keptOf());
    if (keptOf() > 0)
      expect(await deps.table.get(Account, { id: accountId })).toMatchObject({ name: 'Deleted account', logins: [] });
    await given.teardown();
    clock.now += 130_000;
  }
  expect(kept.length).toBeGreaterThan(1);
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  await expectForgotten(given);
  expect(await read()).not.toHaveProperty('removal');
  // Each is written once: no run begins again.
  const written = memory.records.slice(since).filter((record) => JSON.stringify(record).includes('#WALLET"'));
  expect(written).toHaveLength(memory.items('WALLET_TRANSACTION').length);
});

test('attempts of a delivery go with it, however a run ends', async () => {
  const given = await deletionSimulation();
  const { deps, accountId, clock, memory } = given;
  await deps.table.transact([
    change(Delivery, { accountId, id: 'del_0' }, { set: { made: { count: 120, durations: [1], lastOutcome: 'OK' } } }),
  ]);
  const attempt = { accountId, deliveryId: 'del_0', at: new Date(clock.now).toISOString(), responseStatus: 500 };
  for (let first = 1; first < 120; first += 50)
    await deps.table.transact(
      Array.from({ length: Math.min(50, 120 - first) }, (_, n) =>
        create(DeliveryAttempt, {
          ...attempt,
          number: first + n,
          id: `att_${first + n}`,
          outcome: 'BAD_STATUS',
          responseBody: '',
          durationMs: 1,
        }),
      ),
    );
  await requestDeletion(deps, given.caller, { confirm: EMAIL });
  clock.now += 7 * DAY_MS;
  given.slowDown(8000);
  for (let runs = 0; runs < 50 && memory.items('DELIVERY').length > 0; runs += 1) {
    await given.run(given.steady);
    await given.teardown();
    clock.now += 130_000;
    const left = new Set(memory.items('DELIVERY').map(({ id }) => id));
    expect(memory.items('DELIVERY_ATTEMPT').filter(({ deliveryId }) => !left.has(deliveryId))).toEqual([]);
  }
  await finish(given);
  await expectForgotten(given);
});

test('a login that joins another account while it is being deleted stays a member that can be removed', async () => {
  const simulated = await deletionSimulation();
  const { deps, caller, users, read } = simulated;
  await requestDeletion(deps, caller, { confirm: EMAIL });
  const remove = users.remove;
  users.remove = async (subject) => {
    await remove(subject);
    const memberships = { acc_other: { role: 'developer', accountName: 'Other' } };
    const set = { memberships, membershipsVersion: 99, accountName: 'Thandi' };
    await deps.table.transact([change(Login, { subject }, { set })]);
  };
  simulated.clock.now += 8 * DAY_MS;
  await finish(simulated);
  expect((await read())?.status).toBe('DELETED');
  const login = await deps.table.get(Login, { subject: 'subject-1' });
  expect(login).toMatchObject({ accountId: 'acc_other', role: 'developer' });
  expect(login).not.toHaveProperty('expiresAtEpoch');
});

test('a deletion that is cancelled changes nothing, and one that has begun cannot be cancelled', async () => {
  const { deps, caller, clock, run, steady, memory } = await deletionSimulation();
  await requestDeletion(deps, caller, { confirm: EMAIL });
  await expect(requestDeletion(deps, caller, { confirm: EMAIL })).rejects.toThrow('already requested');
  await cancelDeletion(deps, caller);
  clock.now += 8 * DAY_MS;
  expect(await run(steady)).toEqual([]);
  expect(memory.items('APP')).toMatchObject([{ status: 'RUNNING' }]);
  expect(memory.items('ACCOUNT')[0]).not.toHaveProperty('deletion');
  await expect(cancelDeletion(deps, caller)).rejects.toThrow('No deletion');
  const again = {
    ...caller,
    session: { ...(caller.session ?? expect.unreachable()), signedInAtEpoch: clock.now / 1000 },
  };
  await requestDeletion(deps, again, { confirm: EMAIL });
  clock.now += 7 * DAY_MS;
  await run(steady);
  await expect(cancelDeletion(deps, caller)).rejects.toThrow('has begun');
});

test('a deletion is refused to an old sign-in, for another address, and while money is owed', async () => {
  const { deps, caller, accountId, clock } = await deletionSimulation();
  const { session = expect.unreachable() } = caller;
  const since = (seconds: number) => ({
    ...caller,
    session: { ...session, signedInAtEpoch: clock.now / 1000 - seconds },
  });
  await expect(requestDeletion(deps, since(901), { confirm: EMAIL })).rejects.toMatchObject({ code: 'forbidden' });
  await expect(requestDeletion(deps, caller, { confirm: 'else@example.com' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  await deps.table.transact([change(Account, { id: accountId }, { set: { frozenCents: 100 } })]);
  await expect(requestDeletion(deps, since(899), { confirm: EMAIL })).rejects.toThrow('disputed');
  await deps.table.transact([change(Account, { id: accountId }, { set: { frozenCents: 0, walletCents: -100 } })]);
  await expect(requestDeletion(deps, caller, { confirm: EMAIL })).rejects.toThrow('-R1.00');
  await deps.table.transact([change(Account, { id: accountId }, { set: { walletCents: 100 } })]);
  await withWallet(deps, accountId, readNothing, async (wallet) => {
    const lines = [{ description: 'Something', amountCents: 101, vatCents: 0 }];
    const { number } = issueInvoice(deps, wallet, { kind: 'DOMAIN', lines });
    await deps.commit(wallet.writes(), number);
  });
  await expect(requestDeletion(deps, caller, { confirm: EMAIL })).rejects.toThrow('is unpaid');
});
