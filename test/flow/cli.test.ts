import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../client/index.ts';
import { listKeys } from '../../contract/accounts/api-keys.ts';
import { acceptInvitation, inviteMember } from '../../contract/accounts/members.ts';
import { deleteApp, listApps } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import { deleteDatabase, listDatabases } from '../../contract/databases/databases.ts';
import { get } from '../support/browse.ts';
import { type InstalledCli, installCli } from '../support/cli.ts';
import { clientOf, local, newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';
import { receiver } from '../support/receivers.ts';
import { git } from '../support/repositories.ts';
import { LoginBrowser } from '../support/sign-in.ts';

/** The command line as its users have it: packed, installed with `npm install --global`, against the running platform. */

const { baseUrl } = local;
let cli: InstalledCli;
let account: OpenedAccount;
let shop: string;

/** Runs a command line with the account's key. */
const hosting = (args: string[], options: { cwd?: string; input?: string } = {}) =>
  cli.run(args, { cwd: shop, ...options, env: { HOSTING_API: baseUrl, HOSTING_KEY: account.secretKey } });
const json = async (args: string[]) => {
  const { exitCode, stdout, stderr } = await hosting([...args, '--json']);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
};

/** Creates a folder whose Git remote is a repository that the platform can clone. */
function checkout(name: string, repository: string): string {
  const folder = join(cli.folder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'remote', 'add', 'origin', `https://git.localhost/${repository}.git`);
  writeFileSync(join(folder, 'package.json'), '{"dependencies": {"express": "5"}}');
  return folder;
}

/** Returns a folder with a program in place of psql: it connects as psql does, by the environment, and runs one command. */
function fakePsql(): string {
  const folder = mkdtempSync(join(cli.folder, 'psql-'));
  const pg = JSON.stringify(resolve('node_modules/pg'));
  const program = `#!/usr/bin/env node
const client = new (require(${pg}).Client)({ ssl: { rejectUnauthorized: false } });
const [option, sql] = process.argv.slice(2);
const run = async () => {
  if (option !== '--command' || process.env.PGSSLMODE !== 'require') throw new Error('not called as psql');
  await client.connect();
  console.log(JSON.stringify((await client.query(sql)).rows));
  await client.end();
};
run().catch((error) => {
  console.error(error.message);
  process.exit(3);
});
`;
  writeFileSync(join(folder, 'psql'), program, { mode: 0o755 });
  return folder;
}

beforeAll(async () => {
  [cli, account] = await Promise.all([
    installCli(),
    newAccount({ walletCents: 100_000, aiCreditsMicroRand: 100_000_000 }),
  ]);
  shop = checkout('shop', 'hello-express');
});
afterAll(() => cli?.remove());

/** Runs `hosting login` with a browser in which a user signs in. */
async function signIn(user: { email: string; password: string }, options: string[]) {
  const login = cli.start(['login', '--no-browser', ...options, '--api', baseUrl]);
  const address = await waitFor(async () => /^http\S+$/m.exec(login.output.stderr)?.[0]);
  const browser = new LoginBrowser();
  const page = await browser.open(address);
  const { html } = await browser.send(page.url, user);
  expect(html).toContain('Signed in');
  return await login.ended;
}

describe('signing in', () => {
  test('with the browser stores a key that is shown nowhere, and the dashboard lists it', async () => {
    const { email, password } = local.accounts.demo;
    const { exitCode, stdout, stderr } = await signIn({ email, password }, ['--scopes', 'read,deploy']);
    expect([exitCode, stdout]).toEqual([0, `Signed in to ${baseUrl} as ${email} (Demo).\n`]);

    const file = join(cli.folder, 'config/hosting/config.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { installations } = JSON.parse(readFileSync(file, 'utf8'));
    const { secretKey } = installations[baseUrl];
    expect(secretKey).toMatch(/^sk_live_/);
    expect(stdout + stderr).not.toContain(secretKey);
    const dashboard = clientOf({ accessToken: () => local.accounts.demo.dashboardToken });
    const { data } = (await dashboard.call(listKeys)).body;
    expect(data[0]).toMatchObject({ name: expect.stringMatching(/^Command line on /), scopes: ['read', 'deploy'] });

    const whoami = await cli.run(['whoami', '--json']);
    expect(JSON.parse(whoami.stdout)).toMatchObject({ email });
    const refused = await cli.run(['apps', 'create', 'Not allowed']);
    expect([refused.exitCode, refused.stderr.includes('insufficient_scope')]).toEqual([1, true]);
    expect((await cli.run(['logout'])).exitCode).toBe(0);
    expect((await cli.run(['whoami', '--api', baseUrl])).exitCode).toBe(3);
  });

  test('as a member of several accounts stores a key of the one that is chosen', async () => {
    const user = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    const { access_token: token } = await new LoginBrowser().signIn({ ...user, name: 'Thandi' });
    const body = { email: user.email, role: 'developer' as const };
    const { link } = (await account.dashboard.call(inviteMember, { body })).body.data;
    await clientOf({ accessToken: () => token }).call(acceptInvitation, {
      body: { token: new URL(link).hash.slice(1) },
    });
    const unclear = await signIn(user, []);
    expect([unclear.exitCode, unclear.stderr]).toEqual([2, expect.stringContaining(`Test (developer), ${account.id}`)]);
    const { exitCode, stdout } = await signIn(user, ['--account', 'Test']);
    expect([exitCode, stdout]).toEqual([0, `Signed in to ${baseUrl} as test@example.com (Test).\n`]);
    expect(JSON.parse((await cli.run(['whoami', '--json'])).stdout)).toMatchObject({ id: account.id });
  });

  test('with a key from stdin stores it, and refuses one that is not valid with exit code 3', async () => {
    const good = await cli.run(['login', '--key', '--api', baseUrl], { input: `${account.secretKey}\n` });
    expect([good.exitCode, good.stdout.includes('test@example.com')]).toEqual([0, true]);
    expect((await cli.run(['whoami'])).exitCode).toBe(0);
    const bad = await cli.run(['login', '--key', '--api', baseUrl], { input: local.accounts.demo.keys.revoked });
    expect([bad.exitCode, bad.stdout]).toEqual([3, '']);
    expect((await cli.run(['whoami', '--api', 'http://127.0.0.1:9'])).exitCode).toBe(3);
    const unreachable = await cli.run(['whoami', '--api', 'http://127.0.0.1:9'], { env: { HOSTING_KEY: 'sk_live_x' } });
    expect([unreachable.exitCode, unreachable.stderr]).toEqual([1, expect.stringContaining('could not be reached')]);
  });
});

describe('an application', () => {
  test('is created from the folder’s remote, deployed and followed to its address; then found again', async () => {
    // What a failed attempt has left.
    for (const { id } of (await account.call(listApps)).body.data) await account.call(deleteApp, { params: { id } });
    git(shop, 'remote', 'set-url', 'origin', 'https://git.localhost/hello-express.git');
    const asked = await hosting(['deploy']);
    expect([asked.exitCode, asked.stderr]).toEqual([1, expect.stringContaining('Confirm with --yes')]);
    const { exitCode, stdout, stderr } = await hosting(['deploy', '--yes', '--name', 'CLI shop']);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain('==> Cloning https://git.localhost/hello-express.git');
    const url = /^Deployed: (\S+)$/m.exec(stdout)?.[1] ?? '';
    expect(await get(baseUrl, new URL(url).hostname)).toMatchObject({ status: 200 });

    const [app, ...others] = await json(['apps']);
    expect(others).toEqual([]);
    expect(app).toMatchObject({ name: 'CLI shop', framework: 'EXPRESS', lastDeploymentStatus: 'SUCCEEDED' });
    expect(await json(['open'])).toEqual({ url });
    // The SSH form of the same remote is the same application.
    git(shop, 'remote', 'set-url', 'origin', 'git@git.localhost:hello-express.git');
    expect((await json(['deploy', '--detach'])).applicationId).toBe(app.id);
    git(shop, 'remote', 'set-url', 'origin', 'https://git.localhost/hello-express.git');
    const again = await json(['deploy']);
    expect(again).toMatchObject({ applicationId: app.id, status: 'SUCCEEDED', url });
    expect((await json(['deployments']))[0].id).toBe(again.id);
    const printed = await waitFor(async () => {
      const logs = await hosting(['logs', '--json']);
      return logs.exitCode === 0 && logs.stdout;
    });
    for (const line of printed.trim().split('\n').filter(Boolean)) expect(JSON.parse(line)).toHaveProperty('text');
  }, 240_000);

  test('whose deployment fails gives exit code 1 and its log', async () => {
    const folder = checkout('broken', 'no-such-repository');
    const { exitCode, stdout, stderr } = await hosting(['deploy', '-y'], { cwd: folder });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('==> Cloning');
    expect(stderr).toContain('The deployment failed.');
    const deleted = await hosting(['apps', 'delete', 'no-such-repository', '--yes', '--json']);
    expect(JSON.parse(deleted.stdout)).toMatchObject({ deleted: true });
    expect((await hosting(['logs'], { cwd: folder })).stderr).toContain('hosting deploy creates one');
    expect((await hosting(['logs'], { cwd: cli.folder })).exitCode).toBe(2);
  });

  test('has variables that are set, pulled as names, and pushed without losing values', async () => {
    for (const { id } of (await account.call(listApps)).body.data)
      await account.call(replaceEnv, { params: { id }, body: { vars: [] } });
    expect(await json(['env', 'set', 'GREETING=Hello', 'B=2'])).toEqual({ keys: ['GREETING', 'B'] });
    await hosting(['env', 'set', 'TOKEN'], { input: 'from stdin\n' });
    writeFileSync(join(shop, '.env'), 'B=3\nLOCAL="x # y"');
    const pulled = await hosting(['env', 'pull']);
    expect(pulled.stdout).toContain('2 of 3 names added');
    expect(readFileSync(join(shop, '.env'), 'utf8')).toBe('B=3\nLOCAL="x # y"\nGREETING=\nTOKEN=\n');
    expect((await json(['env', 'push'])).keys.toSorted()).toEqual(['B', 'GREETING', 'LOCAL', 'TOKEN']);
    writeFileSync(join(shop, 'few.env'), 'GREETING=\n');
    const refused = await hosting(['env', 'push', 'few.env']);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('B, LOCAL, TOKEN')]);
    expect(await json(['env', 'push', 'few.env', '--yes'])).toEqual({ keys: ['GREETING'] });
    expect(await json(['env', 'unset', 'GREETING'])).toEqual({ keys: [] });
  });

  test('has databases', async () => {
    for (const { id } of (await account.dashboard.call(listDatabases)).body.data)
      await account.call(deleteDatabase, { params: { id } });
    await waitFor(async () => (await account.dashboard.call(listDatabases)).body.data.length === 0);
    expect(await json(['db', 'create', 'main'])).toMatchObject({ name: 'main', variables: expect.any(Array) });
    expect((await json(['db']))[0]).toMatchObject({ name: 'main' });
    await waitFor(async () => (await json(['db']))[0].status === 'AVAILABLE');
    const psql = (path: string, ...options: string[]) =>
      cli.run(['db', 'psql', 'main', '--', ...options], {
        env: {
          HOSTING_API: baseUrl,
          HOSTING_KEY: account.secretKey,
          PATH: [path, dirname(process.execPath)].join(delimiter),
        },
      });
    const found = await psql(fakePsql(), '--command', 'SELECT current_user AS name');
    expect(found).toMatchObject({ exitCode: 0, stdout: '[{"name":"admin"}]\n' });
    const failed = await psql(fakePsql(), '--command', 'SELECT wrong');
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('psql ended with 3.') });
    const absent = await psql(cli.bin);
    expect(absent).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('psql is not installed') });
    const other = await hosting(['db', 'psql', 'other']);
    expect(other).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('You have no database other.') });
    expect(await json(['db', 'reset-passwords', 'main', '--yes'])).toMatchObject({ name: 'main' });
    expect(await json(['db', 'delete', 'main', '--yes'])).toMatchObject({ deleted: true });
  });
});

test('webhooks listen forwards each event as it happens, signed, and begins at a cursor', async () => {
  const hooks = await receiver();
  const env = { HOSTING_API: baseUrl, HOSTING_KEY: account.secretKey };
  const args = ['webhooks', 'listen', '--forward', hooks.url, '--events', 'app.created,app.deleted'];
  const listening = cli.start([...args, '--count', '2', '--json'], { env });
  await waitFor(async () => listening.output.stderr.includes('Ready.'));
  const secret = /whsec_\S+/.exec(listening.output.stderr)?.[0] ?? '';
  const made = await json(['apps', 'create', 'Forwarded']);
  await hosting(['apps', 'delete', made.id, '--yes']);
  const { exitCode, stdout } = await listening.ended;
  expect(exitCode).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type, forwarded }) => [type, forwarded.status])).toEqual([
    ['app.created', 200],
    ['app.deleted', 200],
  ]);
  const [first] = hooks.received;
  if (!first) throw new Error('nothing was forwarded');
  const event = await verifyWebhook({ body: first.body, signature: first.headers['x-service-signature'], secret });
  // The bytes are those of a delivery, the order of the fields included.
  expect(JSON.stringify(event.data)).toBe(JSON.stringify({ applicationId: made.id, name: 'Forwarded' }));
  await hooks.stop();

  // From a cursor, what happened since is there at once; the secret stays the same, and a dead receiver is shown.
  const later = await cli.run([...args, '--count', '1', '--after', 'evc_0'], { env });
  expect(later.stderr).toContain(secret);
  expect(later.stdout).toContain('could not be reached');

  const interrupted = cli.start(['webhooks', 'listen'], { env });
  await waitFor(async () => interrupted.output.stderr.includes('Ready.'));
  interrupted.child.kill('SIGINT');
  expect((await interrupted.ended).exitCode).toBe(130);
});

test('webhook endpoints, their deliveries and resending', async () => {
  const hooks = await receiver();
  const { id } = await json(['webhooks', 'create', hooks.url, '--events', 'app.created']);
  await json(['apps', 'create', 'Delivered']);
  const delivery = await waitFor(async () => {
    const [found] = await json(['webhooks', 'deliveries', id]);
    return found?.status === 'DELIVERED' && found;
  }, 500);
  expect((await hosting(['webhooks', 'resend', delivery.id])).stdout).toBe('app.created is being resent.\n');
  await waitFor(async () => hooks.received.length === 2);
  expect((await hosting(['webhooks'])).stdout).toContain(hooks.url);
  expect(await json(['webhooks', 'delete', id, '--yes'])).toMatchObject({ deleted: true });
  await hooks.stop();
});

test('domains are looked up, ordered, and get records', async () => {
  const name = `cli-${Date.now().toString(36)}.co.za`;
  expect((await json(['domains', 'check', name]))[0]).toMatchObject({ domain: name, available: true });
  writeFileSync(
    join(shop, 'me.json'),
    JSON.stringify({
      name: 'Thandi Mokoena',
      email: 'thandi@example.co.za',
      contactNumber: '+27.215551234',
      country: 'ZA',
      address1: '1 Long Street',
      city: 'Cape Town',
      province: 'Western Cape',
      postalCode: '8001',
    }),
  );
  const ordered = await hosting(['domains', 'order', name, '--registrant', 'me.json', '--yes']);
  expect(ordered.stdout).toMatch(/^Invoice INV-\S+ of R113.85: PAID\.\n$/);
  await waitFor(async () => (await json(['domains']))[0]?.status === 'ACTIVE', 500);
  expect(await json(['dns', 'add', name, 'a', 'www', '192.0.2.7'])).toEqual({ ok: true });
  expect(await json(['dns', 'add', name, 'MX', 'silent', '.', '--prio', '0'])).toEqual({ ok: true });
  const { stdout } = await hosting(['dns', 'list', name]);
  expect(stdout).toMatch(/^MX +silent +\. +3600 +0 /m);
  expect(stdout).toMatch(/^A +www +192\.0\.2\.7 +3600/m);
  const [record] = (await json(['dns', 'list', name])).filter(({ type }: { type: string }) => type === 'A');
  expect(await json(['dns', 'remove', name, record.id, '--yes'])).toEqual({ ok: true });
});

test('a chat streams its reply', async () => {
  const model = ['--model', 'openai/gpt-4o-mini'];
  const { stdout } = await hosting(['ai', 'chat', ...model, 'say exactly: one two three']);
  expect(stdout).toBe('one two three\n');
  const piped = await hosting(['ai', 'chat', ...model, '--json'], { input: 'say exactly: from a file' });
  expect(JSON.parse(piped.stdout)).toEqual({ model: 'openai/gpt-4o-mini', reply: 'from a file' });
  expect((await json(['ai', 'models'])).length).toBeGreaterThan(3);
});
