import { expect, test } from 'vitest';
import { NOTIFICATION_KIND_NAMES } from '../../contract/accounts/notifications.ts';
import { limitOf } from '../../contract/limits/limits.ts';
import { Account, ApiKey } from '../../table/entities/accounts.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { Notification } from '../../table/entities/notifications.ts';
import { change, create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { advanceSubscriptions, subscriptionSimulation } from '../../test/simulation/subscriptions.ts';
import { notify } from '../accounts/notifications.ts';
import { incidentOfExport, incidentsOfEntry, incidentsOfEvent, incidentsOfLimits } from './incidents.ts';

const now = new Date('2026-11-23T08:00:00.000Z');

async function newAccount(): Promise<Account> {
  const { deps } = simulation().steady;
  await deps.table.transact([newSimulatedAccount('acc_1')]);
  const account = await deps.table.get(Account, { id: 'acc_1' });
  if (!account) throw new Error('no account');
  return account;
}

test('a limit is an incident when 80% of it are used, and when it is reached, each once', async () => {
  const account = await newAccount();
  const keys = Array.from({ length: 51 }, (_, keyCount) => ({ ...account, keyCount }));
  const incidents = keys.slice(1).map((after, index) => incidentsOfLimits(keys[index] ?? account, after, now));
  const found = incidents.flatMap((each, index) => each.map(({ subjectId }) => [index + 1, subjectId]));
  expect(found).toEqual([
    [40, 'apiKeys-80'],
    [50, 'apiKeys-100'],
  ]);
  expect(incidents[39]?.[0]?.title).toBe('40 of 50 API keys that are not revoked are used.');
  expect(incidents[49]?.[0]?.title).toContain('is reached: 50 (apiKeys). Revoke a key');
});

test('a limit that falls below what is used is an incident, one that rises is none', async () => {
  const account = { ...(await newAccount()), databaseCount: 3 };
  const lower = { ...account, limits: { databases: 3 } };
  expect(incidentsOfLimits(account, lower, now).map(({ subjectId }) => subjectId)).toEqual(['databases-100']);
  expect(incidentsOfLimits(lower, account, now)).toEqual([]);
});

test('the one application of a small plan is no incident, and more than a plan allows is one of its own', async () => {
  const account = await newAccount();
  const withPlan = (appLimit: number, appCount: number) => ({
    ...account,
    plan: { ...account.plan, appLimit },
    appCount,
  });
  expect(incidentsOfLimits(withPlan(1, 0), withPlan(1, 1), now)).toEqual([]);
  expect(incidentsOfLimits(withPlan(3, 2), withPlan(3, 3), now)).toHaveLength(1);
  expect(incidentsOfLimits(withPlan(10, 5), withPlan(3, 5), now)).toEqual([]);
});

test('minutes of builds count from zero in a new month', async () => {
  const account = await newAccount();
  const limit = limitOf(account, 'buildMinutesPerMonth');
  const full = { ...account, buildMonth: '2026-10', buildMinutes: limit };
  expect(incidentsOfLimits(full, { ...account, buildMonth: '2026-11', buildMinutes: 3 }, now)).toEqual([]);
  const next = { ...account, buildMonth: '2026-11', buildMinutes: limit * 0.8 };
  expect(incidentsOfLimits(full, next, now).map(({ subjectId }) => subjectId)).toEqual(['buildMinutesPerMonth-80']);
});

test('databases notify at 80% and at the limit, where applications are refused', async () => {
  const account = await newAccount();
  const stored = (share: number) => ({
    ...account,
    databaseMib: Math.ceil(limitOf(account, 'databaseStorageMib') * share),
  });
  expect(incidentsOfLimits(stored(0.7), stored(0.79), now)).toEqual([]);
  expect(incidentsOfLimits(stored(0.79), stored(0.8), now)).toMatchObject([
    { kind: 'limit-near', subjectId: 'databaseStorageMib-80' },
  ]);
  const [reached] = incidentsOfLimits(stored(0.8), stored(1), now);
  expect(reached?.title).toContain('Applications open no new connections to databases meanwhile.');
  const used = { ...account, databaseMonth: '2026-11', databaseUnits: limitOf(account, 'databaseUnitsPerMonth') };
  expect(incidentsOfLimits(account, used, now)).toMatchObject([{ subjectId: 'databaseUnitsPerMonth-100' }]);
});

test('the notification of a budget names the key', async () => {
  const { deps } = simulation().steady;
  const of = { accountId: 'acc_1', createdAt: now.toISOString() };
  const hashes = { secret: 's', public: 'p' };
  const key = { id: 'key_1', ...of, name: 'Shop', hashes, publicKey: 'pk', scopes: [], allowedOrigins: [] };
  await deps.table.write(ApiKey, create(ApiKey, { ...key, expiresAt: null, revokedAt: null }));
  const data = { keyId: 'key_1', month: '2026-11', budget: '50.00', spent: '40.00' };
  const event = { id: 'evt_1', accountId: 'acc_1', type: 'ai.budget_near', created: of.createdAt, data } as const;
  const titles = (await incidentsOfEvent(deps, event)).map(({ title }) => title);
  expect(titles).toEqual(['The API key Shop has spent R40.00 of its AI budget of R50.00.']);
});

test('an export that ended is one notification, whatever came of it', async () => {
  const { steady, memory } = simulation();
  const made = { id: 'exp_1', accountId: 'acc_1', sizeBytes: 1, createdAt: now.toISOString() };
  expect(incidentOfExport({ ...made, status: 'RUNNING', finishedAt: null })).toEqual([]);
  for (const status of ['READY', 'READY'] as const)
    await notify(steady.deps, incidentOfExport({ ...made, status, finishedAt: now.toISOString() }));
  expect(memory.items(Notification.type)).toHaveLength(1);
  const [failed] = incidentOfExport({ ...made, status: 'FAILED', finishedAt: now.toISOString() });
  expect(failed?.title).toContain('Your export failed');
  expect(NOTIFICATION_KIND_NAMES).toContain(failed?.kind);
});

const CARD = { authorization: 'AUTH_1', email: 'a@example.com', brand: 'visa', lastFour: '4081' };
const TOP_UP = { enabled: true, thresholdCents: 0, amountCents: 10_000 };

test.each<[string, Partial<Account>, number]>([
  ['is about to be charged', { autoTopUp: TOP_UP, card: CARD }, 0],
  ['is being charged', { autoTopUp: TOP_UP, card: CARD, autoTopUpId: 'top_1' }, 0],
  ['is not saved', { autoTopUp: TOP_UP }, 1],
  ['will be charged too little', { autoTopUp: { ...TOP_UP, amountCents: 1000 }, card: CARD }, 1],
  ['is not charged any more', { autoTopUp: { ...TOP_UP, enabled: false }, card: CARD, autoTopUpId: 'top_1' }, 1],
])('an unpaid plan is an incident unless a card pays it: one that %s', async (_what, set, count) => {
  const { open, buy, clock, memory, deps } = subscriptionSimulation();
  const account = await open(5635);
  await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await deps.table.transact([change(Account, { id: account }, { set })]);
  // The schedule alone: the stream would have the card charged.
  clock.now += 25 * 24 * 3600_000;
  await advanceSubscriptions(deps);
  const issued = memory.items('AUDIT').map((item) => AuditEntry.parse(item));
  const incidents = await Promise.all(issued.map((entry) => incidentsOfEntry(deps, entry)));
  expect(incidents.flat()).toHaveLength(count);
});

test('a plan that is suspended and cancelled is named, with the domain of its hosting', async () => {
  const { open, buy, sleepUntil, memory, deps } = subscriptionSimulation();
  const account = await open(5635);
  await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(31 + 32);
  const entries = memory.items('AUDIT').map((item) => AuditEntry.parse(item));
  const ofPlan = entries.filter(({ action }) => action.startsWith('subscription.'));
  const incidents = await Promise.all(ofPlan.map((entry) => incidentsOfEntry(deps, entry)));
  expect(incidents.flat().map(({ title }) => title)).toEqual([
    'The plan Web Starter for example.co.za was suspended: its invoice is unpaid.',
    'The plan Web Starter for example.co.za was cancelled: its invoice remained unpaid.',
  ]);
});
