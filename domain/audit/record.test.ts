import { readdirSync, readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import { AUDIT_ACTIONS, AUDIT_RETENTION_DAYS, type AuditAction } from '../../contract/audit/actions.ts';
import type { Route } from '../../contract/route.ts';
import { dashboardRoutes, routes } from '../../contract/routes.ts';
import { AuditEntry, auditOf } from '../../table/entities/audit.ts';
import { DnsRecord, Zone } from '../../table/entities/dns.ts';
import type { TeamMember } from '../../table/entities/members.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { check, create } from '../../table/writes.ts';
import { simulatedDomain } from '../../test/simulation/domains.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { walkable } from '../../test/support/schemas.ts';
import type { viewApp } from '../apps/apps.ts';
import type { viewInvoice } from '../billing/invoice-views.ts';
import type { viewSubscription } from '../billing/subscriptions.ts';
import type { viewDatabase } from '../databases/databases.ts';
import type { viewDeployment } from '../deployments/deployment.ts';
import type { Caller, Deps } from '../deps.ts';
import { replaceDnsRecord } from '../dns/records.ts';
import { AuditInput, listForOperators } from './log.ts';
import { BY_OPERATOR, BY_PLATFORM, type ChangeOrigin, committing, NO_ACCOUNT } from './record.ts';

const REQUEST: ChangeOrigin = {
  actor: { kind: 'KEY', id: 'key_1' },
  address: '203.0.113.7',
  requestId: 'req_1',
  request: { action: 'webhook.created', accountId: 'acc_1', subjectId: undefined },
};
const read = (deps: Deps) => deps.table.all(AuditEntry, auditOf('acc_1'));

test("a request leaves one entry with actor, action and address, and without the response's secrets", async () => {
  const { steady, clock } = simulation();
  const data = { id: 'whk_1', url: 'https://hooks.example.com', events: ['app.created'], secret: 'whsec_1' };
  expect(await committing(steady.deps, REQUEST)([], { data })).toEqual({ data });
  expect(await read(steady.deps)).toEqual([
    {
      id: expect.stringMatching(/^aud_/),
      accountId: 'acc_1',
      action: 'webhook.created',
      subjectId: 'whk_1',
      actor: { kind: 'KEY', id: 'key_1' },
      address: '203.0.113.7',
      requestId: 'req_1',
      before: null,
      after: { url: 'https://hooks.example.com', events: ['app.created'] },
      createdAt: new Date(clock.now).toISOString(),
    },
  ]);
});

test('a change keeps the fields that differ, and only those that the action names', async () => {
  const { steady } = simulation();
  const request = { ...REQUEST, request: { action: 'app.updated' as const, accountId: 'acc_1', subjectId: 'app_1' } };
  const [before, after] = [
    { branch: 'main', name: 'Shop', hookSecret: 'old' },
    { branch: 'next', name: 'Shop', hookSecret: 'new' },
  ];
  await committing(steady.deps, request)([], undefined, { before, after });
  expect(await read(steady.deps)).toMatchObject([
    { subjectId: 'app_1', before: { branch: 'main' }, after: { branch: 'next' } },
  ]);
});

test('a DNS record whose priority changes leaves both priorities', async () => {
  const { steady } = simulation();
  const request = { action: 'dns-record.replaced' as const, accountId: 'acc_1', subjectId: undefined };
  const deps = { ...steady.deps, commit: committing(steady.deps, { ...REQUEST, request }) };
  const mail = { type: 'MX', name: '', content: 'mx.example.net', ttl: 300 } as const;
  await deps.table.transact([
    create(Domain, simulatedDomain({ accountId: 'acc_1', id: 'dom_1', name: 'shop.co.za' })),
    create(Zone, { accountId: 'acc_1', domainId: 'dom_1', name: 'shop.co.za', version: 1, mirrored: 1 }),
    create(DnsRecord, { ...mail, prio: 10, id: 'rec_1', domainId: 'dom_1', createdAt: '' }),
  ]);
  const caller = { accountId: 'acc_1' } as Caller;
  await replaceDnsRecord(deps, caller, { ...mail, prio: 20, id: 'dom_1', recordId: 'rec_1' });
  expect(await read(deps)).toMatchObject([{ before: { prio: 10 }, after: { prio: 20 } }]);
});

/** The fields that an entry may show: those of the resource, and those that its changes add. */
interface Audited {
  app: ReturnType<typeof viewApp> & { reason: unknown; cell: unknown; problem: unknown };
  database: ReturnType<typeof viewDatabase> & { expiresAt: unknown; reason: unknown };
  deployment: ReturnType<typeof viewDeployment>;
  'dns-record': DnsRecord;
  invoice: ReturnType<typeof viewInvoice> & { balance: unknown; numbers: unknown };
  member: TeamMember;
  subscription: ReturnType<typeof viewSubscription> & { balance: unknown; reason: unknown };
}
type Shown<Action extends AuditAction> = (typeof AUDIT_ACTIONS)[Action]['shows'][number];
type ActionOf<Subject extends string> = Extract<AuditAction, `${Subject}.${string}`>;

test('every field that an action names is one of its resource', () => {
  expectTypeOf<
    { [Subject in keyof Audited]: Exclude<Shown<ActionOf<Subject>>, keyof Audited[Subject]> }[keyof Audited]
  >().toBeNever();
});

/** Fields of updates whose values the log does not record: secrets, and fields that `set` and `removed` describe. */
const UNLOGGED = ['replaceEnv.vars', 'updateEnv.remove', 'putProviderKey.key'];

test('every field that an update may change is kept by its action (contract/audit/actions.ts), or named here', () => {
  const updates = ([...routes, ...dashboardRoutes] as unknown as Route[]).flatMap(({ id, method, audit, body }) =>
    body && typeof audit === 'string' && method !== 'POST' ? [{ id, shows: AUDIT_ACTIONS[audit].shows, body }] : [],
  );
  expect(updates.length).toBeGreaterThan(8);
  const missing = updates.flatMap(({ id, shows, body }) =>
    Object.keys(walkable(body()).def.shape ?? {})
      .filter((name) => !shows.some((shown) => shown === name))
      .map((name) => `${id}.${name}`),
  );
  expect(missing.sort()).toEqual(UNLOGGED.sort());
});

test('a value that is too large for an entry is recorded as its length', async () => {
  const { steady } = simulation();
  const offer = { models: 'x'.repeat(40_000) };
  const change = { action: 'ai-offer.set', accountId: 'acc_1', before: {}, after: { offer } } as const;
  await committing(steady.deps, BY_OPERATOR)([], undefined, change);
  expect(await read(steady.deps)).toMatchObject([{ before: null, after: { offer: '40013 characters' } }]);
});

test('a change that does not happen leaves no entry', async () => {
  const { steady } = simulation();
  const failing = check(
    AuditEntry,
    { accountId: 'acc_2', id: 'aud_1' },
    { pk: 'present' },
    () => new Error('not present'),
  );
  await expect(committing(steady.deps, REQUEST)([failing], { data: {} })).rejects.toThrow('not present');
  expect(await read(steady.deps)).toEqual([]);
});

test('the platform leaves an entry if the change names its action, and none otherwise', async () => {
  const { steady } = simulation();
  await committing(steady.deps, BY_PLATFORM)([], undefined, { accountId: 'acc_1', before: { status: 'A' } });
  expect(await read(steady.deps)).toEqual([]);
  const change = {
    action: 'domain.expired',
    accountId: 'acc_1',
    subjectId: 'dom_1',
    after: { status: 'EXPIRED' },
  } as const;
  await committing(steady.deps, BY_PLATFORM)([], undefined, change);
  expect(await read(steady.deps)).toMatchObject([{ actor: { kind: 'PLATFORM', id: null }, requestId: null }]);
});

test("operators see the operators' actions over all accounts, and reading an account’s log is one of them", async () => {
  const { steady } = simulation();
  const deps = { ...steady.deps, commit: committing(steady.deps, BY_OPERATOR) };
  await committing(steady.deps, REQUEST)([], { data: {} });
  const suspended = { action: 'account.suspended', after: { reason: 'Abuse.' } } as const;
  await deps.commit([], undefined, { ...suspended, accountId: 'acc_2', subjectId: 'acc_2' });
  const { entries } = await listForOperators(deps, AuditInput().parse({ accountId: 'acc_1' }));
  expect(entries).toMatchObject([{ action: 'webhook.created', requestId: 'req_1' }]);
  // Its owner does not see it.
  const again = (await listForOperators(deps, AuditInput().parse({ accountId: 'acc_1' }))).entries;
  expect(again).toEqual(entries);
  const all = (await listForOperators(deps, AuditInput().parse({}))).entries.slice(1);
  expect(all.map(({ accountId, action }) => [accountId, action])).toEqual([
    [NO_ACCOUNT, 'audit.read'],
    ['acc_2', 'account.suspended'],
  ]);
  const [newest] = all;
  const rest = await listForOperators(deps, AuditInput().parse({ cursor: newest?.id, limit: 1 }));
  expect(rest.entries).toMatchObject([{ action: 'account.suspended', after: { reason: 'Abuse.' } }]);
});

test('every function of operators that changes something commits as an operator, with a reason', () => {
  const folder = 'functions/operator';
  const others = readdirSync(folder).filter(
    (name) => !readFileSync(`${folder}/${name}`, 'utf8').includes('= operatorFunction('),
  );
  expect(others).toEqual(['listMigrations.ts', 'listQuarantined.ts']);
});

test('the table deletes an entry after a year', () => {
  const entry = { createdAt: '2026-01-01T00:00:00.000Z' } as AuditEntry;
  expect(AuditEntry.expiresAtEpoch?.(entry)).toBe(Date.parse(entry.createdAt) / 1000 + AUDIT_RETENTION_DAYS * 86_400);
});

test('no action keeps a field that holds a secret', () => {
  const kept = new Set(Object.values(AUDIT_ACTIONS).flatMap(({ shows }) => [...shows]));
  // `keys` are the names of variables, `publicKey` is public.
  const secrets = [...kept].filter((name) => /secret|token|password|value|sealed|^key$|privateKey/i.test(name));
  expect(secrets).toEqual([]);
});
