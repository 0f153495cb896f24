import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../local/engines/wire.ts';
import { freePort } from '../../local/processes/ports.ts';
import { type Run, startRun } from '../support/platform.ts';

/**
 * Whole platforms of other versions and of this one, one after the other over the same data directory: their bundles against
 * what the others wrote. It needs the repository's history.
 */
const RELEASE = '517dc3d';
/** A version from before there were versions of items: deliveries have another form, and so do wallets. */
const OLD = '9acc22f';

const work = mkdtempSync(join(tmpdir(), 'mixed-'));
afterAll(() => rmSync(work, { recursive: true, force: true }), 900_000);

/** Checks the sources of a commit out, with the packages that it names: later versions need fewer. */
async function installed(commit: string): Promise<string> {
  const archive = execFileSync('git', ['archive', '--prefix', `${commit}/`, commit], { maxBuffer: 1 << 29 });
  execFileSync('tar', ['-x', '-C', work], { input: archive });
  const cwd = join(work, commit);
  // npm passes its settings of this version on, which leave out what earlier ones need (.npmrc).
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd, env, maxBuffer: 1 << 29 });
  return cwd;
}

const THIS = process.cwd();
let sources: Record<string, string>;
beforeAll(async () => {
  sources = { [RELEASE]: await installed(RELEASE), [OLD]: await installed(OLD) };
}, 900_000);

type Json = { data: unknown };
interface Session {
  run: Run;
  get(path: string): Promise<Json>;
  post(path: string, body: object): Promise<{ data: { id: string } }>;
}

async function open(folder: string, DATA_DIR: string): Promise<Session> {
  const run = await startRun({ DATA_DIR, PORT: String(await freePort()), LOCAL_GIT_ROOT: resolve('examples') }, folder);
  const { demo } = run.local.accounts;
  const send = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const token = path.startsWith('/dashboard') ? demo.dashboardToken : demo.secretKey;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${run.local.baseUrl}${path}`, { ...init, headers });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`${init.method ?? 'GET'} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
  return {
    run,
    get: async (path) => (await send(path)) as Json,
    post: async (path, body) =>
      (await send(path, { method: 'POST', body: JSON.stringify(body) })) as { data: { id: string } },
  };
}

/** Uses what leaves items of many kinds: an application, an endpoint with a delivery, a DNS record, money. */
async function use({ get, post }: Session, name: string): Promise<string[]> {
  const { id: appId } = (await post('/v1/apps', { name, framework: 'EXPRESS' })).data;
  const { id: webhookId } = (await post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['app.created'] })).data;
  await post(`/dashboard/v1/webhooks/${webhookId}/ping`, {});
  await post('/dashboard/v1/ai/credits', { amount: '10.00' });
  const domains = (await get('/v1/domains')).data as { id: string }[];
  const record = { type: 'A', name: name.toLowerCase(), content: '192.0.2.7' };
  await post(`/v1/domains/${domains[0]?.id}/dns`, record);
  const deliveries = `/dashboard/v1/webhooks/${webhookId}/deliveries`;
  for (;;) {
    const { data } = (await get(deliveries)) as { data: { attempts: object[] }[] };
    if (data[0] && data[0].attempts.length > 0) break;
    await new Promise((done) => setTimeout(done, 200));
  }
  return [`/v1/apps/${appId}`, deliveries, `/v1/domains/${domains[0]?.id}/dns`];
}

const LISTS = ['/v1/account', '/v1/apps', '/v1/domains', '/v1/invoices', '/v1/wallet', '/v1/hosting', '/v1/webhooks'];
const DASHBOARD = ['me', 'keys', 'ai/credits', 'databases', 'subscriptions', 'webhooks'].map(
  (at) => `/dashboard/v1/${at}`,
);

/** Reads everything; throws where an answer is no success. */
async function readAll({ get }: Session, paths: readonly string[]): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const path of [...LISTS, ...DASHBOARD, ...paths]) all.push((await get(path)).data);
  return all;
}

type Item = Record<string, unknown>;
const table = ({ run }: Session, operation: string, input: object) =>
  call(String(run.local.environment.AWS_ENDPOINT_URL_DYNAMODB), 'dynamodb', operation, input);

/** Returns all items of a run's table. */
async function itemsOf(session: Session): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: unknown;
  do {
    const TableName = session.run.local.environment.TABLE_NAME;
    const page = await table(session, 'Scan', { TableName, ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}) });
    items.push(...(page.Items as Item[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

/**
 * Opens an earlier version over a data directory of this one with this one's items, as a rollback on AWS does. Files of this
 * version's table and executions have another form than the earlier one reads.
 */
async function rollBack(folder: string, directory: string, items: readonly Item[]): Promise<Session> {
  rmSync(join(directory, 'executions'), { recursive: true });
  const session = await open(folder, directory);
  const TableName = session.run.local.environment.TABLE_NAME;
  for (const Item of items) await table(session, 'PutItem', { TableName, Item });
  return session;
}

test('the previous release and this version read what the other wrote', async () => {
  const DATA_DIR = join(work, 'data-release');
  const released = sources[RELEASE] ?? '';
  const before = await open(released, DATA_DIR);
  const paths = await use(before, 'Released');
  await before.run.stop();
  const now = await open(THIS, DATA_DIR);
  await readAll(now, paths);
  paths.push(...(await use(now, 'Newer')));
  const items = await itemsOf(now);
  await now.run.stop();
  const after = await rollBack(released, DATA_DIR, items);
  await readAll(after, paths);
  await use(after, 'Rolled');
  await after.run.stop();
}, 600_000);

test('a data directory of an old version is brought forward at the start', async () => {
  const DATA_DIR = join(work, 'data-old');
  const before = await open(sources[OLD] ?? '', DATA_DIR);
  const paths = await use(before, 'Old');
  await before.run.stop();
  const now = await open(THIS, DATA_DIR);
  await readAll(now, paths);
  // Money moves on an account whose wallet had another counter.
  await use(now, 'Newer');
  const { data } = await now.get('/v1/wallet');
  const { balance, transactions } = data as {
    balance: string;
    transactions: { amount: string; balanceAfter: string }[];
  };
  expect(transactions[0]?.balanceAfter).toBe(balance);
  await now.run.stop();
}, 600_000);
