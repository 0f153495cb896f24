import { expect, test } from 'vitest';
import { AccountDeletion } from '../../../table/entities/account-data.ts';
import { Account, Login } from '../../../table/entities/accounts.ts';
import { AiAccount } from '../../../table/entities/ai.ts';
import { App, EnvSet } from '../../../table/entities/apps.ts';
import { Invoice, KnownCard, Subscription, WalletTransaction } from '../../../table/entities/billing.ts';
import { DnsRecord, Zone } from '../../../table/entities/dns.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { Lookup } from '../../../table/entities/lookups.ts';
import { Domain, DomainName } from '../../../table/entities/registrar.ts';
import { Delivery, DeliveryAttempt, Webhook } from '../../../table/entities/webhooks.ts';
import { schedule, unschedule } from '../../../table/schedule.ts';
import { change, create, upsert } from '../../../table/writes.ts';
import { expectLedgerInvariants } from '../../../test/simulation/billing.ts';
import {
  crashAt,
  type FaultPlan,
  noFaults,
  simulation,
  toleratingFaults,
} from '../../../test/simulation/simulation.ts';
import { inEveryCell } from '../../../test/support/cells.ts';
import { auditIn } from '../../../test/support/memory-table.ts';
import { openAccount } from '../../accounts/accounts.ts';
import { hold } from '../../ai/credits.ts';
import { issuePaidInvoice } from '../../billing/invoices.ts';
import { readNothing, withWallet } from '../../billing/wallet.ts';
import type { Caller } from '../../deps.ts';
import { endDomain } from '../../registrar/tasks.ts';
import { sweep } from '../../sweep/sweep.ts';
import { verifyLedgers } from '../restore/restore.ts';
import { teardownApp } from '../teardown.ts';
import { ALL_CONTENTS } from './all-contents.ts';
import { cancelDeletion, requestDeletion } from './deletion.ts';
import { deletionQueue } from './leave.ts';

const EMAIL = 'thandi@example.com';
const DAY_MS = 86_400_000;
const SEALED = { wrappedKey: 'a', iv: 'b', ciphertext: 'c' };
const PERSONAL = [EMAIL, 'Thandi', 'Long Street', 'card-signature', 'subject-1'];

/** An account with an application, hosting in the past, a domain, money, keys and deliveries. */
async function world(faults: FaultPlan = noFaults) {
  const clock = { tick: (_operation: string) => {} };
  const simulated = simulation({
    faults,
    through: (send) => async (operation, input) => {
      clock.tick(operation);
      return await send(operation, input);
    },
  });
  const { deps } = simulated.steady;
  const at = new Date(simulated.clock.now).toISOString();
  const plan = { slug: 'app-10', name: 'App 10', appLimit: 10 };
  const keys = [{ name: 'CI', scopes: ['read' as const] }];
  const about = { email: EMAIL, name: 'Thandi', login: 'subject-1', walletCents: 5000, aiCreditsMicroRand: 3_000_000 };
  const { id: accountId } = await openAccount(deps, { ...about, plan, keys });
  const of = { accountId };
  await withWallet(deps, accountId, readNothing, async (wallet) => {
    issuePaidInvoice(deps, wallet, {
      kind: 'PLAN',
      lines: [{ description: 'App 10', amountCents: 1150, vatCents: 150 }],
    });
    await deps.commit(wallet.writes(), {});
  });
  const owner = { name: 'Thandi', email: EMAIL, contactNumber: '+27.1', address1: '1 Long Street' };
  const subscription: Subscription = {
    ...of,
    id: 'sub_1',
    plan: { ...plan, category: 'APP' },
    billingCycle: 'MONTHLY',
    priceCents: 1000,
    status: 'ACTIVE',
    hostingDomain: null,
    currentPeriodEnd: '2026-02-28T00:00:00.000Z',
    createdAt: at,
    cancelledAt: null,
  };
  const domain: Domain = {
    ...of,
    id: 'dom_1',
    name: 'shop.co.za',
    tld: 'co.za',
    status: 'ACTIVE',
    autoRenew: true,
    registeredAt: at,
    expiresAt: '2027-01-31T00:00:00.000Z',
    nameservers: [],
    dnsProvider: 'PLATFORM',
    years: 1,
    yearsAtOnce: 1,
    privacy: true,
    createdAt: at,
    owner: { ...owner, city: 'Cape Town', province: 'WC', postalCode: '8001', country: 'ZA' },
  };
  await deps.table.transact([
    create(App, {
      ...of,
      id: 'app_1',
      name: 'Shop',
      slug: 'shop',
      framework: 'NODE',
      nodeVersion: '22',
      repoUrl: null,
      branch: 'main',
      installCommand: 'npm ci',
      buildCommand: null,
      startFile: 'server.js',
      status: 'RUNNING',
      autoDeploy: false,
      primaryDomain: 'shop.apps.example.com',
      hosts: [],
      createdAt: at,
      updatedAt: at,
    }),
    create(EnvSet, { ...of, id: 'app_1', applicationId: 'app_1', keys: ['A'], sealed: SEALED, version: 1 }),
    change(Account, { id: accountId }, { add: { appCount: 1 } }),
    create(Subscription, subscription),
    create(Domain, domain),
    create(Domain, { ...domain, id: 'dom_2', name: 'old.co.za', status: 'EXPIRED' }),
    create(Subscription, {
      ...subscription,
      id: 'sub_2',
      plan: { ...plan, category: 'WEB' },
      hostingDomain: 'old.co.za',
      status: 'CANCELLED',
      cancelledAt: at,
      currentPeriodEnd: at,
    }),
    create(HostingAccount, {
      ...of,
      id: 'sub_2',
      server: 'web-1',
      username: 'old',
      status: 'REMOVED',
      failures: 0,
    }),
    create(Zone, { ...of, domainId: 'dom_1', name: 'shop.co.za', version: 1, mirrored: 1 }),
    create(DnsRecord, {
      id: 'rec_1',
      domainId: 'dom_1',
      type: 'A',
      name: 'www',
      content: '192.0.2.1',
      ttl: 60,
      prio: 0,
      createdAt: at,
    }),
    create(KnownCard, { ...of, signature: 'card-signature', firstPaidAt: at }),
    create(Webhook, {
      ...of,
      id: 'whk_1',
      url: 'https://a.example',
      description: 'Thandi',
      events: ['*'],
      active: true,
      failureCount: 0,
      disabledAt: null,
      secret: SEALED,
      createdAt: at,
    }),
    ...[0, 1].map((n) =>
      create(Delivery, {
        ...of,
        id: `del_${n}`,
        webhookId: 'whk_1',
        eventId: `evt_${n}`,
        type: 'ping',
        body: 'Thandi',
        status: 'FAILED',
        createdAt: at,
        nextAttemptAt: null,
        attempts: [],
        step: 1,
        tries: 1,
        made: { count: 1, durations: [1], lastOutcome: 'BAD_STATUS' },
      }),
    ),
    ...[0, 1].map((n) =>
      create(DeliveryAttempt, {
        ...of,
        deliveryId: `del_${n}`,
        number: 0,
        id: `att_${n}`,
        at,
        outcome: 'BAD_STATUS',
        responseStatus: 500,
        responseBody: 'Thandi',
        durationMs: 1,
      }),
    ),
    upsert(
      Lookup,
      { text: EMAIL, accountId, id: accountId },
      {
        set: { text: EMAIL, kind: 'account', accountId, id: accountId },
      },
    ),
  ]);
  const removedUsers: string[] = [];
  const users = { remove: async (subject: string) => void removedUsers.push(subject) };
  const nothing = async () => undefined;
  const hosts = {
    ...inEveryCell({ hostRoutes: { remove: nothing }, appHost: { remove: nothing }, appLogs: { remove: nothing } }),
    builds: { remove: nothing, removeCaches: nothing },
    databases: {},
  };
  /** One run of the schedule, in a process that may crash, and of the teardowns that it has begun. */
  const run = async (process: ReturnType<typeof simulated.startProcess>) => {
    const given = { ...process.deps, users: process.port('users', users) };
    const { failed } = await sweep(given, deletionQueue);
    return failed;
  };
  const teardown = async () => {
    for (const item of simulated.memory.items('APP')) {
      const app = App.parse(item);
      const torn = { ...deps, ...hosts } as unknown as Parameters<typeof teardownApp>[0];
      if (app.status === 'DELETING') await teardownApp(torn, { accountId, applicationId: app.id });
    }
  };
  const session = {
    subject: 'subject-1',
    key: 'k',
    expiresAtEpoch: 0,
    signedInAtEpoch: simulated.clock.now / 1000,
    readProfile: () => expect.unreachable(),
  };
  const caller: Caller = { accountId, keyId: '', login: true, session };
  const read = () => deps.table.get(AccountDeletion, { accountId });
  /** Gives each transaction a duration, in milliseconds. */
  const slowDown = (milliseconds: number) => {
    clock.tick = (operation) => {
      if (operation === 'TransactWriteItems') simulated.clock.now += milliseconds;
    };
  };
  return { ...simulated, deps, accountId, caller, run, teardown, read, users, removedUsers, slowDown };
}

/** Runs the schedule until the account is deleted. */
async function finish({ run, teardown, read, clock, steady }: Awaited<ReturnType<typeof world>>): Promise<void> {
  for (let runs = 0; runs < 50; runs += 1) {
    clock.now += 130_000;
    expect(await run(steady)).toEqual([]);
    await teardown();
    if ((await read())?.status === 'DELETED') return;
  }
  throw new Error('the deletion did not end');
}

/** Expects that nothing is left of a deleted account but what the page on retention names. */
async function expectForgotten({ memory, deps, accountId, read, removedUsers }: Awaited<ReturnType<typeof world>>) {
  expect(await read()).toMatchObject({ status: 'DELETED', refundCents: 3850 + 300 });
  const allowed = new Set(
    ALL_CONTENTS.filter(({ atDeletion }) => ['tax', 'expires', 'stays'].includes(atDeletion)).map(({ type }) => type),
  );
  const left = ALL_CONTENTS.flatMap(({ type }) => memory.items(type).map((item) => ({ ...item, type })));
  const others = [...new Set(left.map(({ type }) => type).filter((type) => !allowed.has(type)))].toSorted();
  // The domain runs out with its term, and the login refuses its tokens until they have expired.
  expect(others).toEqual(['DOMAIN', 'LOGIN', 'ZONE']);
  const kept = left.filter(({ type }) => !['AUDIT', 'LOGIN'].includes(type));
  const text = JSON.stringify(kept.filter(({ type }) => type !== 'EVENT'));
  expect(PERSONAL.filter((each) => text.includes(each))).toEqual([]);
  // The credits are in the wallet: both ledgers add up, and operators book the refund, which is all of it.
  expectLedgerInvariants(memory);
  expect(await verifyLedgers(deps, {})).toEqual({ accounts: 1, problems: [] });
  await withWallet(deps, accountId, readNothing, async (wallet) => {
    wallet.move('ADJUSTMENT', -4150, 'Refund');
    await deps.commit(wallet.writes(), {});
  });
  const forTax = ALL_CONTENTS.filter(({ atDeletion }) => atDeletion === 'tax').flatMap(({ type }) =>
    memory.items(type),
  );
  expect(forTax.filter((item) => !('expiresAtEpoch' in item))).toEqual([]);
  expect(await deps.table.get(Domain, { accountId, id: 'dom_1' })).toMatchObject({
    status: 'ACTIVE',
    autoRenew: false,
  });
  const ended = memory.items('DOMAIN').filter((item) => 'expiresAtEpoch' in item);
  expect(ended).toMatchObject([{ id: 'dom_2' }]);
  expect((await deps.table.get(Zone, { accountId, domainId: 'dom_1' }))?.version).toBeGreaterThan(1);
  expect(await deps.table.get(Login, { subject: 'subject-1' })).toMatchObject({ suspended: expect.any(String) });
  expect(new Set(removedUsers)).toEqual(new Set(['subject-1']));
  expect(await deps.table.get(Account, { id: accountId })).toMatchObject({
    walletCents: 0,
    name: 'Deleted account',
  });
}

test('a deletion begins after the grace period, and leaves what the law asks for without a name', async () => {
  const given = await world();
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
  const given = await world();
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
});

test('a deletion waits for hosting that is removed, and whose domain is not free yet', async () => {
  const given = await world();
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
  const given = await world();
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

test('a deletion survives a crash at every call', async () => {
  for (let number = 1, reached = true; reached; number += 1) {
    const given = await world(crashAt(number, number % 2 === 0 ? 'before' : 'after'));
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
  const given = await world();
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
}, 60_000);

test('attempts of a delivery go with it, however a run ends', async () => {
  const given = await world();
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

test('a deletion waits for the registrar, and for renewals that are paid', async () => {
  const given = await world();
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
  const given = await world();
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
    const given = await world();
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
      if (isLost) wallet.takeBack(4000, 'Disputed card payment');
      await deps.commit(wallet.writes({ set: { frozenCents: 0 } }), {});
    });
    await finish(given);
    expect(await read()).toMatchObject({ refundCents: isLost ? 3850 - 4000 + 300 : 3850 + 300 });
  }
});

test('a deletion waits for a dispute that is opened during the removal, and refunds what the bank leaves', async () => {
  const given = await world();
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

test('a login that joins another account while it is being deleted stays a member that can be removed', async () => {
  const simulated = await world();
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
  const { deps, caller, clock, run, steady, memory } = await world();
  await requestDeletion(deps, caller, { confirm: EMAIL });
  await expect(requestDeletion(deps, caller, { confirm: EMAIL })).rejects.toThrow('requested already');
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
  const { deps, caller, accountId, clock } = await world();
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
  await expect(requestDeletion(deps, caller, { confirm: EMAIL })).rejects.toThrow('R-1.00');
});
