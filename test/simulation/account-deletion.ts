import { expect } from 'vitest';
import { openAccount } from '../../domain/accounts/accounts.ts';
import { issuePaidInvoice } from '../../domain/billing/invoices.ts';
import { readNothing, withWallet } from '../../domain/billing/wallet.ts';
import type { Caller } from '../../domain/deps.ts';
import { ALL_CONTENTS } from '../../domain/processes/account-data/all-contents.ts';
import { deletionQueue } from '../../domain/processes/account-data/run-deletion.ts';
import { verifyLedgers } from '../../domain/processes/restore/restore.ts';
import { teardownApp } from '../../domain/processes/teardown.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import { AccountDeletion } from '../../table/entities/account-data.ts';
import { Account, Login } from '../../table/entities/accounts.ts';
import { AiKeySpending } from '../../table/entities/ai.ts';
import { App, EnvSet } from '../../table/entities/apps.ts';
import { KnownCard, Subscription } from '../../table/entities/billing.ts';
import { DnsRecord, Zone } from '../../table/entities/dns.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { Lookup } from '../../table/entities/lookups.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { Delivery, DeliveryAttempt, Webhook } from '../../table/entities/webhooks.ts';
import { change, create, upsert } from '../../table/writes.ts';
import { inEveryCell } from '../support/cells.ts';
import { simulatedApp } from './app.ts';
import { expectLedgerInvariants } from './billing.ts';
import { simulatedDomain } from './domains.ts';
import { type FaultPlan, noFaults, simulation } from './simulation.ts';

export const EMAIL = 'thandi@example.com';
export const DAY_MS = 86_400_000;
const SEALED = { wrappedKey: 'a', iv: 'b', ciphertext: 'c' };
const PERSONAL = [EMAIL, 'Thandi', 'Long Street', 'card-signature', 'subject-1'];

/** An account with an application, hosting in the past, a domain, money, keys and deliveries. */
export async function deletionSimulation(faults: FaultPlan = noFaults) {
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
  const { id: accountId, keys: opened } = await openAccount(deps, { ...about, plan, keys });
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
  const domain = simulatedDomain({
    ...of,
    id: 'dom_1',
    name: 'shop.co.za',
    registeredAt: at,
    expiresAt: '2027-01-31T00:00:00.000Z',
    privacy: true,
    createdAt: at,
    owner: { ...owner, city: 'Cape Town', province: 'WC', postalCode: '8001', country: 'ZA' },
  });
  await deps.table.transact([
    create(
      App,
      simulatedApp({
        ...of,
        id: 'app_1',
        name: 'Shop',
        slug: 'shop',
        primaryDomain: 'shop.apps.example.com',
        createdAt: at,
        updatedAt: at,
      }),
    ),
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
    ...['', ...opened.map(({ id }) => id)].map((keyId) => create(AiKeySpending, { ...of, keyId, openCalls: 0 })),
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
export async function finish({
  run,
  teardown,
  read,
  clock,
  steady,
}: Awaited<ReturnType<typeof deletionSimulation>>): Promise<void> {
  for (let runs = 0; runs < 50; runs += 1) {
    clock.now += 130_000;
    expect(await run(steady)).toEqual([]);
    await teardown();
    if ((await read())?.status === 'DELETED') return;
  }
  throw new Error('the deletion did not end');
}

/** Expects that nothing is left of a deleted account but what the page on retention names. */
export async function expectForgotten({
  memory,
  deps,
  accountId,
  read,
  removedUsers,
}: Awaited<ReturnType<typeof deletionSimulation>>) {
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
