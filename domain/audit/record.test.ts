import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AUDIT_ACTIONS, AUDIT_RETENTION_DAYS } from '../../contract/audit/actions.ts';
import { AuditEntry, auditOf } from '../../table/entities/audit.ts';
import { check } from '../../table/writes.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import type { Deps } from '../deps.ts';
import { AuditInput, listForOperators } from './log.ts';
import { BY_OPERATOR, BY_PLATFORM, type ChangeOrigin, committing } from './record.ts';

const REQUEST: ChangeOrigin = {
  actor: { kind: 'KEY', id: 'key_1' },
  ...{ address: '203.0.113.7', requestId: 'req_1' },
  request: { action: 'webhook.created', accountId: 'acc_1', subjectId: undefined },
};
const read = (deps: Deps) => deps.table.all(AuditEntry, auditOf('acc_1'));

test('a request leaves one entry: who, what, from where, and of the answer no secret', async () => {
  const { steady, clock } = simulation();
  const data = { id: 'whk_1', url: 'https://hooks.example.com', events: ['app.created'], secret: 'whsec_1' };
  expect(await committing(steady.deps, REQUEST)([], { data })).toEqual({ data });
  expect(await read(steady.deps)).toEqual([
    {
      ...{ id: expect.stringMatching(/^aud_/), accountId: 'acc_1', action: 'webhook.created', subjectId: 'whk_1' },
      ...{ actor: { kind: 'KEY', id: 'key_1' }, address: '203.0.113.7', requestId: 'req_1', before: null },
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

test('a value too large for an entry is kept as its length', async () => {
  const { steady } = simulation();
  const offer = { models: 'x'.repeat(40_000) };
  const change = { action: 'ai-offer.set', accountId: 'acc_1', before: {}, after: { offer } } as const;
  await committing(steady.deps, BY_OPERATOR)([], undefined, change);
  expect(await read(steady.deps)).toMatchObject([{ before: null, after: { offer: '40013 characters' } }]);
});

test('a change that does not happen leaves no entry', async () => {
  const { steady } = simulation();
  const failing = check(AuditEntry, { accountId: 'acc_2', id: '' }, { pk: 'present' }, () => new Error('not present'));
  await expect(committing(steady.deps, REQUEST)([failing], { data: {} })).rejects.toThrow('not present');
  expect(await read(steady.deps)).toEqual([]);
});

test('the platform leaves an entry where the change says what it is, and none otherwise', async () => {
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

test('operators see what operators did over all accounts, and reading an account’s log is recorded there', async () => {
  const { steady } = simulation();
  const deps = { ...steady.deps, commit: committing(steady.deps, BY_OPERATOR) };
  await committing(steady.deps, REQUEST)([], { data: {} });
  const suspended = { action: 'account.suspended', after: { reason: 'Abuse.' } } as const;
  await deps.commit([], undefined, { ...suspended, accountId: 'acc_2', subjectId: 'acc_2' });
  const { entries } = await listForOperators(deps, AuditInput().parse({ accountId: 'acc_1' }));
  expect(entries).toMatchObject([{ action: 'webhook.created', requestId: 'req_1' }]);
  const all = (await listForOperators(deps, AuditInput().parse({}))).entries;
  expect(all.map(({ accountId, action }) => [accountId, action])).toEqual([
    ['acc_1', 'audit.read'],
    ['acc_2', 'account.suspended'],
  ]);
  const [newest] = all;
  const rest = await listForOperators(deps, AuditInput().parse({ cursor: newest?.id, limit: 1 }));
  expect(rest.entries).toMatchObject([{ action: 'account.suspended', after: { reason: 'Abuse.' } }]);
});

test('every function of operators that changes something commits as an operator', () => {
  const folder = 'functions/operator';
  const others = readdirSync(folder).filter(
    (name) => !readFileSync(`${folder}/${name}`, 'utf8').includes('import { operatorDeps as deps }'),
  );
  expect(others).toEqual(['listMigrations.ts', 'listQuarantined.ts', 'verifyLedgers.ts']);
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
