import { expect, test } from 'vitest';
import { createApp } from '../../../contract/apps/apps.ts';
import { listEnvKeys, replaceEnv, updateEnv } from '../../../contract/apps/environment.ts';
import { envContext } from '../../../domain/apps/environment.ts';
import { EnvSet } from '../../../table/entities/apps.ts';
import { change } from '../../../table/writes.ts';
import { codeOf, newAccount, platformDeps } from '../../support/harness.ts';

async function withApp() {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Env app', framework: 'NODE' } })).body.data;
  return {
    account,
    id,
    replace: (vars: { key: string; value: string }[]) => account.call(replaceEnv, { params: { id }, body: { vars } }),
    update: (body: { set?: { key: string; value: string }[]; remove?: string[] }) =>
      account.call(updateEnv, { params: { id }, body }),
  };
}

/** Loads what the platform's functions have. */
async function asPlatform() {
  const deps = await platformDeps();
  const { secrets } = await import('../../../runtime/bindings/secrets.ts');
  return { deps, secrets };
}

/** Returns the application's stored variables, decrypted as its workflow would. */
async function stored(accountId: string, id: string): Promise<Record<string, string>> {
  const { deps, secrets } = await asPlatform();
  const env = await deps.table.get(EnvSet, { accountId, id });
  return env ? JSON.parse(await secrets.unseal(envContext(deps, id), env.sealed)) : {};
}

/** Stores values in place of the application's, past the API. */
async function store(accountId: string, id: string, values: Record<string, string>): Promise<void> {
  const { deps, secrets } = await asPlatform();
  const set = { sealed: await secrets.seal(envContext(deps, id), JSON.stringify(values)), keys: Object.keys(values) };
  await deps.table.transact([change(EnvSet, { accountId, id }, { set })]);
}

test('replaces the whole set, keeps the stored value for an empty one, and returns only names', async () => {
  const { account, id, replace } = await withApp();
  const first = await replace([
    { key: 'A', value: 'secret-a' },
    { key: 'B', value: 'secret-b' },
  ]);
  expect(first.body).toEqual({ data: { keys: ['A', 'B'] } });
  const second = await replace([
    { key: 'B', value: '' },
    { key: 'C', value: 'é=\n"quoted"' },
    { key: 'D', value: '' },
  ]);
  expect(second.body).toEqual({ data: { keys: ['B', 'C', 'D'] } });
  expect(await stored(account.id, id)).toEqual({ B: 'secret-b', C: 'é=\n"quoted"', D: '' });
  expect((await replace([])).body).toEqual({ data: { keys: [] } });
  expect(await stored(account.id, id)).toEqual({});
});

test('updates single variables: all others keep their values', async () => {
  const { account, id, replace, update } = await withApp();
  await replace([
    { key: 'A', value: 'a' },
    { key: 'B', value: 'b' },
  ]);
  const updated = await update({
    set: [
      { key: 'C', value: '' },
      { key: 'A', value: 'a2' },
    ],
    remove: ['B', 'ABSENT'],
  });
  expect(updated.body).toEqual({ data: { keys: ['A', 'C'] } });
  expect(await stored(account.id, id)).toEqual({ A: 'a2', C: '' });
  expect((await update({})).body).toEqual({ data: { keys: ['A', 'C'] } });
});

test('of racing updates none is lost', async () => {
  const { account, id, update } = await withApp();
  const keys = ['A', 'B', 'C', 'D', 'E'];
  const answers = await Promise.all(keys.map((key) => update({ set: [{ key, value: key.toLowerCase() }] })));
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
  expect(await stored(account.id, id)).toEqual({ A: 'a', B: 'b', C: 'c', D: 'd', E: 'e' });
});

test('of racing replacements all succeed, and the whole set of one of them stays', async () => {
  const { account, id, replace } = await withApp();
  const sets = ['1', '2', '3', '4'].map((value) => ['A', `B${value}`].map((key) => ({ key, value })));
  const answers = await Promise.all(sets.map(replace));
  expect(answers.map(({ status }) => status)).toEqual(sets.map(() => 200));
  expect(sets.map((vars) => Object.fromEntries(vars.map(({ key, value }) => [key, value])))).toContainEqual(
    await stored(account.id, id),
  );
});

test('refuses an update that is malformed, too large with what is stored, or of another account', async () => {
  const { id, replace, update } = await withApp();
  await replace(Array.from({ length: 99 }, (_, index) => ({ key: `KEY_${index}`, value: 'v'.repeat(300) })));
  const cases: [Parameters<typeof update>[0], string][] = [
    [{ set: [{ key: 'PORT', value: '1' }] }, 'set.0.key'],
    [{ set: ['1', '2'].map((value) => ({ key: 'A', value })) }, 'set.1.key'],
    [{ remove: [''] }, 'remove.0'],
    [{ set: ['A', 'B'].map((key) => ({ key, value: '1' })) }, 'set'],
    [{ set: [{ key: 'KEY_0', value: 'v'.repeat(4096) }] }, 'set'],
  ];
  for (const [body, field] of cases) {
    const answer = await update(body);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    expect(answer.error?.message).toMatch(new RegExp(`^${field}: `));
  }
  expect((await update({ set: [{ key: 'A', value: '1' }] })).status).toBe(200);
  const stranger = await newAccount();
  expect(codeOf(await stranger.call(updateEnv, { params: { id }, body: { remove: ['A'] } }))).toBe('not_found');
});

test('refuses a replacement that is too large with the values that it keeps', async () => {
  const { account, id, replace } = await withApp();
  const named = (prefix: string, value: string) =>
    Array.from({ length: 7 }, (_, index) => ({ key: `${prefix}_${index}`, value }));
  const large = 'v'.repeat(4096);
  await replace(named('A', large));
  const answer = await replace([...named('A', ''), ...named('B', large)]);
  expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  expect(answer.error?.message).toMatch(/^vars: /);
  expect(Object.keys(await stored(account.id, id))).toHaveLength(7);
});

test('a set that an earlier version let grow too large can shrink, and not grow', async () => {
  const { account, id, replace, update } = await withApp();
  const large = 'v'.repeat(4096);
  await replace([{ key: 'A', value: large }]);
  const values = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`KEY_${index}`, large]));
  await store(account.id, id, values);
  expect((await update({ set: [{ key: 'NEW', value: '1' }] })).error?.message).toMatch(/^set: /);
  expect((await update({ remove: ['KEY_0'] })).status).toBe(200);
  const kept = Object.keys(values).slice(2);
  expect((await replace(kept.map((key) => ({ key, value: '' })))).status).toBe(200);
  expect(Object.keys(await stored(account.id, id))).toEqual(kept);
});

test('encrypts values for their application: another application’s cannot be decrypted with them', async () => {
  const one = await withApp();
  await one.replace([{ key: 'A', value: 'secret-a' }]);
  const { deps, secrets } = await asPlatform();
  const env = await deps.table.get(EnvSet, { accountId: one.account.id, id: one.id });
  expect(JSON.stringify(env)).not.toContain('secret-a');
  if (!env) throw new Error('no variables stored');
  await expect(secrets.unseal(envContext(deps, 'app_another'), env.sealed)).rejects.toMatchObject({
    name: 'InvalidCiphertextException',
  });
});

test('of racing replacements one is stored whole, and the others are told that they lost', async () => {
  const { account, id, replace } = await withApp();
  const answers = await Promise.all(
    [1, 2, 3, 4, 5].map((n) =>
      replace([
        { key: 'A', value: `${n}` },
        { key: 'B', value: `${n}` },
      ]),
    ),
  );
  for (const answer of answers) expect([undefined, 'conflict']).toContain(codeOf(answer));
  const { A, B } = await stored(account.id, id);
  expect(A).toBe(B);
  const winners = answers.filter(({ status }) => status === 200).length;
  expect(winners).toBeGreaterThanOrEqual(1);
});

test('stores 100 variables of 32 KiB in total', async () => {
  const { account, id, replace } = await withApp();
  const vars = Array.from({ length: 100 }, (_, index) => ({ key: `KEY_${index}`, value: 'v'.repeat(300) }));
  expect((await replace(vars)).status).toBe(200);
  expect(Object.keys(await stored(account.id, id))).toHaveLength(100);
});

test("another account's application is 404", async () => {
  const { id } = await withApp();
  const stranger = await newAccount();
  const answer = await stranger.call(replaceEnv, { params: { id }, body: { vars: [] } });
  expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
});

test('the dashboard reads the names of the variables and no values', async () => {
  const { account, id, replace } = await withApp();
  const names = () => account.dashboard.call(listEnvKeys, { params: { id } });
  expect((await names()).body).toEqual({ data: { keys: [] } });
  await replace([
    { key: 'A', value: 'secret-a' },
    { key: 'B', value: 'secret-b' },
  ]);
  expect((await names()).body).toEqual({ data: { keys: ['A', 'B'] } });
  const stranger = await newAccount();
  expect(codeOf(await stranger.dashboard.call(listEnvKeys, { params: { id } }))).toBe('not_found');
});
