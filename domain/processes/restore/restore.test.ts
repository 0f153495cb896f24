import { expect, test } from 'vitest';
import type { Databases } from '../../../providers/databases/databases.ts';
import type { DatabasePasswords } from '../../../providers/databases/passwords.ts';
import type { Dns, RecordSet } from '../../../providers/dns/dns.ts';
import type { Job } from '../../../providers/queues/job-queue.ts';
import { AccountDeletion } from '../../../table/entities/account-data.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { AiAccount, AiEntry } from '../../../table/entities/ai.ts';
import { App } from '../../../table/entities/apps.ts';
import { WalletTransaction } from '../../../table/entities/billing.ts';
import { Database } from '../../../table/entities/databases.ts';
import { Deployment } from '../../../table/entities/deployments.ts';
import { DnsRecord, Zone } from '../../../table/entities/dns.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { DomainName } from '../../../table/entities/registrar.ts';
import { change, create, remove } from '../../../table/writes.ts';
import { simulatedApp } from '../../../test/simulation/app.ts';
import { simulation } from '../../../test/simulation/simulation.ts';
import { openAccount } from '../../accounts/accounts.ts';
import { readNothing, withWallet } from '../../billing/wallet.ts';
import { advanceDatabase } from '../../databases/clusters.ts';
import { createDatabasePassword, resetDatabasePasswords } from '../../databases/passwords.ts';
import type { Deps } from '../../deps.ts';
import { syncZone } from '../../dns/sync.ts';
import { pendingJobQueue } from '../../sweep/pending-jobs.ts';
import { sweep } from '../../sweep/sweep.ts';
import { repairAfterRestore, verifyLedgers } from './restore.ts';

const pay = (deps: Deps, accountId: string, cents: number) =>
  withWallet(deps, accountId, readNothing, async (wallet) => {
    wallet.move('ADJUSTMENT', cents, 'Test');
    return await deps.commit(wallet.writes(), {}, { action: 'wallet.adjusted', accountId });
  });

const opening = { email: 'a@example.com', name: 'A', plan: { slug: 'app-1', name: 'App', appLimit: 1 }, keys: [] };

/** Returns a platform with two accounts that have moved money, and a domain whose records the name servers have. */
async function world() {
  const base = simulation();
  const { deps } = base.steady;
  const accounts: string[] = [];
  for (const walletCents of [5000, 0])
    accounts.push((await openAccount(deps, { ...opening, walletCents, aiCreditsMicroRand: 3_000_000 })).id);
  const [accountId = ''] = accounts;
  for (const cents of [100, -250, 75]) await pay(deps, accountId, cents);
  const nameServers = new Map<string, RecordSet>();
  const dns: Pick<Dns, 'recordSets' | 'change'> = {
    recordSets: async () => [...nameServers.values()],
    change: async (_, changes) => {
      for (const { action, set } of changes) {
        if (action === 'DELETE') nameServers.delete(`${set.name} ${set.type}`);
        else nameServers.set(`${set.name} ${set.type}`, set);
      }
    },
  };
  const domainId = 'dom_1';
  const zone = { accountId, domainId, name: 'shop.co.za', version: 1, mirrored: 0, hostedZoneId: 'Z1' };
  const record = { id: 'rec_1', domainId, type: 'A' as const, name: 'www', content: '192.0.2.1', ttl: 60, prio: 0 };
  await deps.table.transact([
    create(Zone, zone),
    create(DomainName, { name: zone.name, accountId, domainId }),
    create(DnsRecord, { ...record, createdAt: '' }),
  ]);
  const sync = (of: Pick<Deps, 'table' | 'now'>) => syncZone({ ...of, dns: dns as Dns }, { accountId, domainId });
  await sync(deps);
  return { ...base, deps, accountId, domainId, nameServers, sync, record };
}

/** Restores the table as it was to another one, as point-in-time recovery does. */
async function restoredFrom(items: readonly object[]) {
  const restored = simulation();
  for (const Item of items) await restored.memory.send('PutItem', { Item });
  return restored;
}

/** Returns everything that the table holds. */
async function backup({ deps }: { deps: Deps }): Promise<object[]> {
  const all: object[] = [];
  let after: { pk: string; sk: string } | undefined;
  do {
    const { items, next } = await deps.table.scan({ limit: 7, after });
    all.push(...items);
    after = next;
  } while (after);
  return all;
}

test('after a restore, the ledgers match their balances, and the state outside follows the table', async () => {
  const platform = await world();
  const { accountId, domainId, nameServers, record, deps } = platform;
  const deployment = { id: 'dep_1', accountId, applicationId: 'app_1', status: 'RUNNING' as const, commitSha: '' };
  const running = { ...deployment, trigger: 'API' as const, startedAt: '', finishedAt: null, notes: [] };
  // One waits in its account's line: the scheduler starts it, and nothing else.
  const queued = { ...running, id: 'dep_2', status: 'QUEUED' as const };
  await deps.table.transact([create(Deployment, running), create(Deployment, queued)]);
  const kept = await backup(platform);
  // After the time of the restore: money moves, a record goes to the name servers, the deployment ends.
  await pay(deps, accountId, 900);
  await deps.table.transact([
    create(DnsRecord, { ...record, id: 'rec_2', name: 'later', createdAt: '' }),
    change(Zone, { accountId, domainId }, { set: { version: 2 } }),
    remove(Deployment, { accountId, id: 'dep_1' }),
  ]);
  await platform.sync(deps);
  expect([...nameServers.keys()]).toEqual(['www.shop.co.za A', 'later.shop.co.za A']);

  const restored = await restoredFrom(kept);
  const now = restored.steady.deps;
  expect(await verifyLedgers(now, {})).toEqual({ accounts: 2, problems: [] });
  expect((await now.table.get(Account, { id: accountId }))?.walletCents).toBe(4925);
  // Without the repair the name servers keep what the table does not know.
  await platform.sync(now);
  expect(nameServers.size).toBe(2);
  expect(await repairAfterRestore(now, {})).toEqual({ repaired: 2 });
  await platform.sync(now);
  expect([...nameServers.keys()]).toEqual(['www.shop.co.za A']);
  expect(await now.table.due('DEPLOYMENT', { until: now.now().toISOString(), limit: 10 })).toHaveLength(1);
  expect((await repairAfterRestore(now, {})).repaired).toBe(2);
});

test('after a restore, the status of each application is applied again, except for one that is being deleted', async () => {
  const { deps, clock, accountId } = await world();
  const apps = (['RUNNING', 'SUSPENDED', 'DELETING'] as const).map((status) =>
    simulatedApp({ accountId, id: `app_${status}`, status }),
  );
  await deps.table.transact(apps.map((app) => create(App, app)));
  await repairAfterRestore(deps, {});
  clock.now += 60_000;
  const handedOver: Job[] = [];
  const routes = { send: async (jobs: readonly Job[]) => void handedOver.push(...jobs) };
  await sweep({ ...deps, jobs: { routes } }, pendingJobQueue);
  expect(handedOver).toEqual(
    apps.slice(0, 2).map((app) => ({ job: 'app.apply-status', key: App.key(app), accountId })),
  );
});

test('after a restore, a released zone starts its time without a delegation again', async () => {
  const { deps, domainId, accountId } = await world();
  const long = { releasedAt: '2020-01-01T00:00:00.000Z', undelegatedSince: '2020-01-02T00:00:00.000Z' };
  await deps.table.transact([change(Zone, { accountId, domainId }, { set: long })]);
  await repairAfterRestore(deps, {});
  expect(await deps.table.get(Zone, { accountId, domainId })).toMatchObject({
    releasedAt: long.releasedAt,
    undelegatedSince: deps.now().toISOString(),
    dueAt: deps.now().toISOString(),
  });
});

test('after a restore, clusters accept the passwords of databases, even if some were revoked in the meantime', async () => {
  const platform = await world();
  const { deps, accountId } = platform;
  const key = { applicationId: 'app_1', prefix: 'DATABASE_A' };
  const common = { ...key, accountId, name: 'a', region: 'eu-west-1', createdAt: deps.now().toISOString() };
  const available = { ...common, status: 'AVAILABLE' as const, id: 'db_1', clusterId: 'c_1', host: 'h', generation: 1 };
  await deps.table.transact([create(Database, { ...available, appliedGeneration: 1 })]);
  const clusters = new Map<string, number>();
  const databases: Pick<Databases, 'setAccess'> = {
    setAccess: async (id, { generation = 0 }) => void clusters.set(id, generation),
  };
  const caller = { accountId, keyId: '' };
  const passwords: number[] = [];
  const databasePasswords: DatabasePasswords = {
    create: async ({ generation }) => String(passwords.push(generation)),
  };
  const advance = (of: Deps) => advanceDatabase({ ...of, databases: databases as unknown as Databases }, key);
  const kept = await backup(platform);
  for (let resets = 0; resets < 2; resets += 1) {
    await resetDatabasePasswords(deps, caller, { id: 'db_1' });
    await advance(deps);
    await createDatabasePassword({ ...deps, databasePasswords }, caller, { id: 'db_1' });
  }
  const restored = (await restoredFrom(kept)).steady.deps;
  await repairAfterRestore(restored, {});
  const due = { until: restored.now().toISOString(), limit: 10 };
  for (const _ of await restored.table.due('DATABASE', due)) await advance(restored);
  await createDatabasePassword({ ...restored, databasePasswords }, caller, { id: 'db_1' });
  expect(passwords.at(-1)).toBe(clusters.get('c_1'));
  expect(new Set(passwords).size).toBe(3);
});

test('a repair compares hosting with its server, except for removed accounts', async () => {
  const { deps, accountId } = await world();
  const account = { accountId, server: 'web-1', username: 'h1', failures: 0 };
  await deps.table.transact([
    create(HostingAccount, { ...account, id: 'sub_1', status: 'ACTIVE', dueAt: '2999' }),
    create(HostingAccount, { ...account, id: 'sub_2', status: 'REMOVED' }),
  ]);
  await repairAfterRestore(deps, {});
  const dueAt = async (id: string) => (await deps.table.get(HostingAccount, { accountId, id }))?.dueAt;
  expect(await Promise.all(['sub_1', 'sub_2'].map(dueAt))).toEqual([deps.now().toISOString(), undefined]);
});

test('reports a ledger that does not match its balance', async () => {
  const cases: [string, (accountId: string, entries: AiEntry[]) => Parameters<Deps['table']['transact']>[0]][] = [
    ['the wallet has entry 1 instead of 2', (accountId) => [remove(WalletTransaction, { accountId, serial: 2 })]],
    ['the wallet lacks its first 1 entries', (accountId) => [remove(WalletTransaction, { accountId, serial: 1 })]],
    [
      'entry 4 of the wallet has the balance 4925 instead of 4926',
      (accountId) => [change(Account, { id: accountId }, { set: { walletCents: 4926 } })],
    ],
    [
      'the AI credits are 3000000, their ledger adds up to 0',
      (accountId, entries) => entries.map(({ id }) => remove(AiEntry, { accountId, id })),
    ],
  ];
  for (const [problem, damage] of cases) {
    const { deps, accountId, memory } = await world();
    const entries = memory.items('AI_ENTRY').map((item) => AiEntry.parse(item));
    await deps.table.transact(
      damage(
        accountId,
        entries.filter((entry) => entry.accountId === accountId),
      ),
    );
    expect((await verifyLedgers(deps, {})).problems).toEqual([{ accountId, problem }]);
  }
});

test('ignores the credits of a deleted account that earlier versions left in the ledger', async () => {
  const { deps, accountId, clock } = await world();
  const at = new Date(clock.now).toISOString();
  const deletion: AccountDeletion = { accountId, status: 'DELETED', requestedAt: at, endsAt: at };
  await deps.table.transact([remove(AiAccount, { accountId }), create(AccountDeletion, deletion)]);
  expect((await verifyLedgers(deps, {})).problems).toEqual([]);
});

test('the check and the repair continue at the cursor of the previous run', async () => {
  const { deps, clock } = await world();
  for (let more = 0; more < 150; more += 1)
    await openAccount(deps, { ...opening, walletCents: 0, aiCreditsMicroRand: 0 });
  const slow = {
    ...deps,
    now: () => {
      clock.now += 60_000;
      return new Date(clock.now);
    },
  };
  const first = await verifyLedgers(slow, {});
  expect(first.cursor).toBeDefined();
  let { accounts, cursor } = first;
  while (cursor) {
    const next = await verifyLedgers(slow, { cursor });
    accounts += next.accounts;
    cursor = next.cursor;
  }
  expect(accounts).toBe(152);
});
