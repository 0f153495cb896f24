import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openUsers } from '../emulators/login/users.ts';
import { seedAccounts } from './accounts.ts';

const KEYS = ['all', 'read', 'write', 'deploy', 'domains', 'ai', 'expired', 'revoked', 'restricted'];

/** Seeds accounts in a folder of their own, with an operator function that only refuses a second account of a login. */
function seeding() {
  const folder = mkdtempSync(join(tmpdir(), 'seeds-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const users = openUsers(join(folder, 'users.json'));
  const keys = KEYS.map((name) => ({ name, secretKey: `sk ${name}`, publicKey: `pk ${name}` }));
  const owners = new Set<string>();
  const invoke = async (_: string, { login }: { login: string }) => {
    if (owners.has(login)) throw new Error('This login already has an account.');
    owners.add(login);
    return { id: 'acc_1', keys };
  };
  const engines = {
    functions: [{ name: 'open', file: '/operator/createAccount/index.mjs' }],
    lambda: { invoke },
    login: {
      users,
      subjectOf: async (user: Parameters<typeof users.ensure>[0]) => (await users.ensure(user)).subject,
      setPassword: users.setPassword,
      tokenFor: async () => 'token',
    },
  };
  const file = join(folder, 'accounts.json');
  return { file, users, owners, engines, seed: () => seedAccounts(file, engines as never) };
}

test('the accounts of each data directory have random passwords, which later starts keep', async () => {
  const [one, another] = [seeding(), seeding()];
  const { demo, other } = (await one.seed()).accounts;
  const passwords = [demo, other, (await another.seed()).accounts.demo].map(({ password }) => password);
  expect(new Set(passwords).size).toBe(3);
  for (const password of passwords) expect(password).toMatch(/^[\w-]{16}$/);
  expect((await one.seed()).accounts.demo.password).toBe(demo.password);
  expect(await one.users.signIn(demo.email, demo.password)).toMatchObject({ email: demo.email });
});

test('a start after one that was interrupted while it opened the accounts opens them with new owners', async () => {
  const { users, owners, engines, seed } = seeding();
  const { invoke } = engines.lambda;
  engines.lambda.invoke = async (...call) => {
    await invoke(...call);
    throw new Error('interrupted');
  };
  await expect(seed()).rejects.toThrow('interrupted');
  await expect.poll(() => owners.size).toBe(3);
  engines.lambda.invoke = invoke;
  const { demo } = (await seed()).accounts;
  expect(await users.signIn(demo.email, demo.password)).toMatchObject({ email: demo.email });
});

test('a password that an earlier version published no longer signs in after the next start', async () => {
  const { file, users, seed } = seeding();
  await seed();
  const stored = JSON.parse(readFileSync(file, 'utf8'));
  stored.demo.password = 'demo-password';
  writeFileSync(file, JSON.stringify(stored));
  await users.setPassword(stored.demo);
  const { demo, other } = (await seed()).accounts;
  expect(demo.password).toMatch(/^[\w-]{16}$/);
  expect(await users.signIn(demo.email, 'demo-password')).toBeUndefined();
  expect(await users.signIn(demo.email, demo.password)).toMatchObject({ email: demo.email });
  expect(other.password).toBe(stored.other.password);
  expect((await seed()).accounts.demo.password).toBe(demo.password);
});
