import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { BuildRunner } from '../../providers/builds/build-runner.ts';
import type { DatabaseMetrics } from '../../providers/databases/metrics.ts';
import type { ZoneSyncQueue } from '../../providers/dns/sync-queue.ts';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import type { Exports } from '../../providers/exports/exports.ts';
import type { Users } from '../../providers/login/users.ts';
import type { Payments } from '../../providers/payments/payments.ts';
import type { JobQueue } from '../../providers/queues/job-queue.ts';
import type { Registrar } from '../../providers/registrar/registrar.ts';
import type { DeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { fromItem, toItem } from '../../table/attributes.ts';
import { AccountDeletion, AccountExport } from '../../table/entities/account-data.ts';
import { Account } from '../../table/entities/accounts.ts';
import { AiAccount, AiAudit } from '../../table/entities/ai.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { Invoice, Subscription, TopUp } from '../../table/entities/billing.ts';
import { Cell, Move } from '../../table/entities/cells.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { Database, DatabaseUse } from '../../table/entities/databases.ts';
import { BuildQueue, Deployment } from '../../table/entities/deployments.ts';
import { Zone } from '../../table/entities/dns.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { PendingJob } from '../../table/entities/jobs.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { Delivery, Event } from '../../table/entities/webhooks.ts';
import type { Entity } from '../../table/entity.ts';
import { schedule } from '../../table/schedule.ts';
import type { Send } from '../../table/table.ts';
import { changeByKey, create, type Write } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { simulatedDomain } from '../../test/simulation/domains.ts';
import { START } from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { windowQueue } from '../ai/closing.ts';
import { ledgerQueue } from '../ai/ledger.ts';
import { billingSweeps } from '../billing/lifecycle.ts';
import type { SweepReport } from '../sweep/sweep.ts';
import { sweepAll, sweepJob } from '../sweep/sweep-all.ts';
import { exportQueue } from './account-data/exports.ts';
import { deletionQueue } from './account-data/run-deletion.ts';
import { reconcilers } from './reconciler.ts';

const MINUTE = 60_000;
const iso = (time: number) => new Date(time).toISOString();
const DUE = iso(START);
const EARLIER = iso(START - 60 * MINUTE);
const created = EARLIER;

const entities: Entity<unknown, unknown>[] = [];
for (const file of readdirSync(new URL('../../table/entities/', import.meta.url))) {
  const exported: Record<string, unknown> = await import(`../../table/entities/${file}`);
  for (const each of Object.values(exported)) if (isEntity(each)) entities.push(each);
}
function isEntity(value: unknown): value is Entity<unknown, unknown> {
  return typeof value === 'object' && value !== null && 'parse' in value && 'key' in value;
}

/** An item that stands in a queue, and what it needs around it. */
interface Fixture {
  entity: Entity<never, never>;
  key: object;
  items: Write[];
}
const fixture = <T, K extends object>(entity: Entity<T, K>, item: T & K, ...others: Write[]): Fixture => ({
  entity: entity as unknown as Fixture['entity'],
  key: item,
  items: [create(entity, item), ...others],
});

const ACCOUNT = { accountId: 'acc_1' };
const appOf = (id: string, more: Partial<App>) =>
  simulatedApp({
    id,
    ...ACCOUNT,
    slug: 'app',
    primaryDomain: 'app',
    hosts: ['app'],
    createdAt: created,
    updatedAt: created,
    ...more,
  });
const deliveryOf = (id: string): Delivery => ({
  ...ACCOUNT,
  id: `dlv_${id}_0001`,
  webhookId: `whk_${id}`,
  eventId: `evt_${id}`,
  type: 'app.created',
  body: '{}',
  status: 'PENDING',
  createdAt: created,
  nextAttemptAt: EARLIER,
  attempts: [],
  step: 0,
  tries: 0,
});

/** Every due queue by name, with an item of its own. */
const QUEUES: Record<string, (id: string, accountId: string) => Fixture> = {
  ACCOUNT: (id) =>
    fixture(Account, {
      id,
      email: 'a@example.com',
      name: 'A',
      plan: { slug: 'app-1', name: 'App 1', appLimit: 1 },
      appCount: 0,
      walletCents: 0,
      createdAt: created,
      suspensionVersion: 1,
      reapplyAt: EARLIER,
    }),
  CELL: (id) => fixture(Cell, { id, open: true }),
  DEPLOYMENT: (id) =>
    fixture(Deployment, {
      ...ACCOUNT,
      id,
      applicationId: 'app_1',
      status: 'RUNNING',
      trigger: 'API',
      commitSha: '',
      startedAt: created,
      finishedAt: null,
      notes: [],
    }),
  MOVE: (id) =>
    fixture(Move, {
      ...ACCOUNT,
      id,
      applicationId: 'app_1',
      from: 'home',
      to: 'b',
      status: 'COPYING',
      attempts: 0,
      createdAt: created,
      finishedAt: null,
    }),
  BUILD_QUEUE: (id) => fixture(BuildQueue, { accountId: id, waiting: 0 }),
  TEARDOWN: (id) => fixture(App, appOf(id, { status: 'DELETING' })),
  CUSTOM_DOMAIN: (id) => {
    const claim = {
      host: `${id}.mine.co.za`,
      token: id,
      status: 'PENDING',
      claimedAt: created,
      checkedAt: null,
    } as const;
    return fixture(App, appOf(id, { customDomain: claim }));
  },
  OWNERSHIP: (id) => fixture(Host, { ...ACCOUNT, host: `${id}.mine.co.za`, applicationId: `app_${id}` }),
  DOOR: (id) =>
    fixture(DistributionTenant, {
      ...ACCOUNT,
      host: `${id}.mine.co.za`,
      token: id,
      applicationId: 'app_1',
      status: 'WAITING',
      since: created,
      problem: null,
      apex: false,
      certificates: 0,
      checkedAt: null,
      dueAt: DUE,
      version: 1,
    }),
  DATABASE: (id) =>
    fixture(Database, {
      ...ACCOUNT,
      id,
      applicationId: 'app_1',
      name: id,
      prefix: id,
      status: 'PROVISIONING',
      region: 'af-south-1',
      host: null,
      createdAt: created,
    }),
  DATABASE_USE: (id) => fixture(DatabaseUse, { accountId: id, version: 1, dueAt: DUE }, newSimulatedAccount(id)),
  HOSTING: (id) =>
    fixture(HostingAccount, { ...ACCOUNT, id, server: 'web-1', username: 'h', status: 'PENDING', failures: 0 }),
  DOMAIN: (id) =>
    fixture(
      Domain,
      simulatedDomain({
        ...ACCOUNT,
        id,
        name: `${id}.co.za`,
        autoRenew: false,
        registeredAt: created,
        expiresAt: iso(START + 1e9),
        createdAt: created,
      }),
    ),
  ZONE: (id) =>
    fixture(Zone, { ...ACCOUNT, domainId: id, name: `${id}.co.za`, version: 2, mirrored: 1, hostedZoneId: 'Z1' }),
  PENDING_JOB: (id) =>
    fixture(PendingJob, {
      ...ACCOUNT,
      job: 'app.apply-status',
      subject: App.key({ ...ACCOUNT, id }),
      change: '1',
      createdAt: created,
      dueAt: DUE,
    }),
  'DELIVERY#QUEUED': (id) => fixture(Delivery, deliveryOf(id)),
  'DELIVERY#WAITING': (id) => fixture(Delivery, deliveryOf(id)),
  'EVENT#UNSETTLED': (id) =>
    fixture(Event, { ...ACCOUNT, id: `evt_${id}_0001`, type: 'app.created', created, data: {} }),
  INVOICE: (id, accountId) =>
    fixture(Invoice, {
      accountId,
      id,
      number: `INV-2026-${id.startsWith(POISON) ? 1 : 0}${id.replaceAll(/\D/g, '')}`,
      kind: 'DOMAIN',
      status: 'UNPAID',
      amountCents: 115,
      vatCents: 15,
      issuedAt: created,
      payBy: EARLIER,
      paidAt: null,
      voidAt: EARLIER,
      lines: [],
    }),
  SUBSCRIPTION: (id) =>
    fixture(Subscription, {
      // An account of its own: the end of a subscription depends on the account's others.
      accountId: `acc_${id}`,
      id,
      plan: { slug: 'web', name: 'Web', category: 'WEB' },
      billingCycle: 'MONTHLY',
      priceCents: 1,
      status: 'CANCELLED',
      hostingDomain: 'a.co.za',
      currentPeriodEnd: EARLIER,
      createdAt: created,
      cancelledAt: EARLIER,
    }),
  TOP_UP: (id) =>
    fixture(TopUp, {
      ...ACCOUNT,
      id: `pay_${id}`,
      amountCents: 100,
      status: 'PENDING',
      automatic: false,
      createdAt: created,
    }),
  AI_ACCOUNT: (id) =>
    fixture(AiAccount, {
      accountId: id,
      balanceMicroRand: 10,
      availableMicroRand: 5,
      keys: {},
      holds: { h1: { microRand: 5, expiresAt: EARLIER } },
    }),
  ACCOUNT_EXPORT: (id) =>
    fixture(AccountExport, {
      ...ACCOUNT,
      id,
      status: 'QUEUED',
      sizeBytes: null,
      createdAt: created,
      finishedAt: null,
    }),
  // Of an account that is no more.
  ACCOUNT_DELETION: (id) =>
    fixture(AccountDeletion, { accountId: id, status: 'GRACE', requestedAt: created, endsAt: EARLIER }),
  AI_AUDIT: (id) => {
    const account = { accountId: id, balanceMicroRand: 0, availableMicroRand: 0, keys: {}, holds: {} };
    const audit = { accountId: id, upTo: '', sumMicroRand: 0, dueAt: DUE };
    return fixture(AiAudit, audit, create(AiAccount, account));
  },
};

const SELLER = { name: 'Seller', address: '', vatNumber: null };
const POISON = 'poison';
const isPoisoned = (given: unknown) => JSON.stringify(given).includes(POISON);

/**
 * A table with the real jobs of every schedule. Whatever the work on a poisoned item asks of the table or of a provider fails;
 * the sweep's own reads and writes do not.
 */
async function everyQueue() {
  const sweptKeys = new Set<string>();
  const guarded =
    (send: Send): Send =>
    async (operation, input) => {
      const key = 'Key' in input ? JSON.stringify(input.Key) : '';
      const isSweeps = operation === 'Query' || JSON.stringify(input).includes('sweepFailure');
      const isRead = operation === 'GetItem' && sweptKeys.has(key);
      if (isPoisoned(input) && !isSweeps && !isRead) throw new Error('poisoned');
      return await send(operation, input);
    };
  const { memory, clock, deps, open } = billingSimulation({ through: guarded });
  const accountId = await open(0);
  const calls: string[] = [];
  const provider = <T extends object>(answers: Partial<Record<keyof T, unknown>> = {}) =>
    new Proxy({} as T, {
      get:
        (_, method) =>
        async (...given: unknown[]) => {
          if (isPoisoned(given)) throw new Error('poisoned');
          calls.push(JSON.stringify(given));
          return answers[method as keyof T];
        },
    });
  const executions = () => provider<Executions>({ status: 'RUNNING' });
  const needs = {
    ...deps,
    ...inEveryCell({ capacityMeter: { measure: async () => ({ concurrency: 900, codeBytes: 1e9 }) } }),
    deployments: executions(),
    teardowns: executions(),
    hosting: executions(),
    databaseWork: executions(),
    databaseMetrics: provider<DatabaseMetrics>({ readUsage: new Map() }),
    tenantExecutions: executions(),
    domainTasks: executions(),
    queue: provider<DeliveryQueue>(),
    jobs: { routes: provider<JobQueue>() },
    zoneSyncQueue: provider<ZoneSyncQueue>(),
    buildRunner: provider<BuildRunner>(),
    txt: provider<TxtRecords>({ at: [] }),
    payments: provider<Payments>(),
    tlds: async () => [],
    plans: async () => [],
    registrar: provider<Registrar>(),
  };
  const jobs = {
    ...reconcilers(needs),
    ...billingSweeps(needs),
    windows: sweepJob(deps, windowQueue),
    ledgers: sweepJob(deps, ledgerQueue),
    exports: sweepJob({ ...deps, exports: provider<Exports>(), seller: SELLER }, exportQueue),
    deletions: sweepJob({ ...deps, users: provider<Users>() }, deletionQueue),
  };

  /** One minute's run. */
  async function run(): Promise<SweepReport[]> {
    const reports: SweepReport[] = [];
    await sweepAll(deps, jobs, (name, outcome) => {
      if ('error' in outcome) throw new Error(`${name} failed`, { cause: outcome.error });
      reports.push(outcome.report);
    });
    clock.now += MINUTE;
    return reports;
  }

  /** Stores an item that is due, or an unreadable one under its key. */
  async function add(queue: string, id: string, dueAt: string, readable = true) {
    const { entity, key, items } = fixtureOf(queue, id, accountId);
    const { pk, sk } = entity.key(key as never);
    const due = schedule(entity, dueAt, { queue: queue as never, id: String('id' in key ? key.id : '') });
    sweptKeys.add(JSON.stringify(toItem({ pk, sk })));
    if (readable) {
      await memory.table.transact(items);
      await memory.table.updateReturningChanged(changeByKey({ pk, sk }, { set: { ...due } }, () => new Error('gone')));
    } else await memory.send('PutItem', { Item: toItem({ pk, sk, ...due }) });
    const stored = async () => fromItem((await memory.table.getByKey({ pk, sk })) ?? {});
    return {
      failures: async () => ((await stored()).sweepFailure as { count: number } | undefined)?.count ?? 0,
      isDone: async () => {
        const now = await stored();
        const isMoved = now.duePk !== due.duePk || now.dueAt !== due.dueAt;
        return (isMoved && !now.sweepFailure) || calls.some((call) => call.includes(id));
      },
    };
  }
  return { run, add };
}

function fixtureOf(queue: string, id: string, accountId: string): Fixture {
  const fixture = QUEUES[queue]?.(id, accountId);
  if (!fixture) throw new Error(`the due queue ${queue} has no fixture here: add one`);
  return fixture;
}

test('every due queue of every entity has a fixture here, and a job that sweeps it', async () => {
  const declared = entities.flatMap(({ due }) => [...(due?.queues ?? [])]).sort();
  expect(Object.keys(QUEUES).sort()).toEqual(declared);
  const { run } = await everyQueue();
  const swept = (await run()).map(({ queue }) => queue);
  expect([...new Set(swept)].sort()).toEqual(declared);
});

/** More than a page of them. */
const MANY = 120;
const FAULTS = ['does not parse', 'throws'] as const;
const cases = Object.keys(QUEUES).flatMap((queue) => FAULTS.map((fault) => [queue, fault] as const));

test.each(cases)('%s: an item that %s does not hold up the others', async (queue, fault) => {
  const { add, run } = await everyQueue();
  const poisoned = [];
  for (let count = 0; count < MANY; count += 1) {
    poisoned.push(await add(queue, `${POISON}${count}`, EARLIER, fault === 'throws'));
  }
  const healthy = [await add(queue, 'healthy1', DUE), await add(queue, 'healthy2', DUE)];
  await run();
  await run();
  expect(await Promise.all(healthy.map(({ isDone }) => isDone()))).toEqual([true, true]);
  const failures = await Promise.all(poisoned.map((each) => each.failures()));
  expect(Math.min(...failures)).toBeGreaterThan(0);
});
