import { GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { beforeAll, expect, inject, test } from 'vitest';
import { replaceEnv } from '../../contract/apps/environment.ts';
import { readAppLogs } from '../../contract/apps/logs.ts';
import { getDeployment, readDeploymentLog } from '../../contract/deployments/deployments.ts';
import { artifactKey } from '../../providers/builds/keys.ts';
import { get } from '../support/browse.ts';
import { deployer, newDeployingAccount } from '../support/deployer.ts';
import { codeOf, local, newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';
import { app, committer } from '../support/repositories.ts';

/** Builds and their logs. */
const commit = committer(inject('repositories'));
let account: OpenedAccount;
beforeAll(async () => {
  account = await newDeployingAccount();
});

const { create, begin, follow, deploy } = deployer(() => account);
const linesOf = async (id: string, query: { after?: string; limit?: string } = {}) =>
  (await account.dashboard.call(readDeploymentLog, { params: { id }, query })).body;

test('the log is read line by line while it grows, each line once, with its number and time', async () => {
  commit('talks', app("'talks'", { build: 'echo one && sleep 6 && echo two' }));
  const { id } = await create('talks', { buildCommand: 'npm run build' });
  const deployment = await begin(id);
  const read: { n: number; at: string; text: string }[] = [];
  const whileRunning = new Set<string>();
  await waitFor(async () => {
    // Read the status first: the last lines may arrive between the two reads.
    const { status } = (await account.call(getDeployment, { params: { id: deployment.id } })).body.data;
    const { data, has_more } = await linesOf(deployment.id, { after: String(read.at(-1)?.n ?? 0), limit: '3' });
    if (status === 'RUNNING') for (const { text } of data) whileRunning.add(text);
    read.push(...data);
    return status === 'SUCCEEDED' && data.length === 0 && !has_more;
  });
  const { log } = await follow(deployment.id);
  expect(read.map(({ text }) => `${text}\n`).join('')).toBe(log);
  expect(read.map(({ n }) => n)).toEqual(read.map((_, index) => index + 1));
  expect(whileRunning).toContain('one');
  const times = read.map(({ at }) => at);
  expect(times).toEqual([...times].sort());
  const at = (text: string) => Date.parse(read.find((line) => line.text === text)?.at ?? '');
  expect(at('two') - at('one')).toBeGreaterThanOrEqual(1000);
  expect(codeOf(await (await newAccount()).dashboard.call(readDeploymentLog, { params: deployment }))).toBe(
    'not_found',
  );
  const refused = await account.dashboard.call(readDeploymentLog, { params: deployment, query: { after: '-1' } });
  expect(refused.error?.message).toMatch(/^after: /);
});

test('a secret printed by a build in three ways appears in no log, execution history or artifact', async () => {
  const secret = 'c0rrect h0rse/battery+staple?';
  const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];
  const print = [
    'const v = process.env.TOKEN; console.log(v); console.error(encodeURIComponent(v));',
    "console.log(Buffer.from(v).toString('base64'), Buffer.from('user:' + v).toString('base64'));",
    'process.stdout.write(v.slice(0, 9)); setTimeout(() => { process.stdout.write(v.slice(9)); process.exit(3) }, 300);',
  ];
  commit('prints', { ...app("'prints'"), 'print.js': print.join('\n') });
  const { id } = await create('prints', { buildCommand: 'node print.js || true' });
  await account.call(replaceEnv, { params: { id }, body: { vars: [{ key: 'TOKEN', value: secret }] } });
  const deployment = await deploy(id);
  expect(deployment.status).toBe('SUCCEEDED');
  expect(deployment.log.match(/\[redacted\]/g)).toHaveLength(5);
  const { environment } = local;
  const states = new SFNClient({
    region: 'af-south-1',
    endpoint: environment.AWS_ENDPOINT_URL_SFN ?? '',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const executionArn = `${environment.DEPLOYMENT_STATE_MACHINE_ARN?.replace(':stateMachine:', ':execution:')}:${deployment.id}`;
  const { events } = await states.send(new GetExecutionHistoryCommand({ executionArn }));
  states.destroy();
  expect(events?.length).toBeGreaterThan(5);
  const artifact = await fetch(
    `${environment.AWS_ENDPOINT_URL_S3}/${environment.BUILDS_BUCKET}/${artifactKey(id, deployment.id)}`,
  );
  expect(artifact.status).toBe(200);
  const kept = [
    deployment.log,
    JSON.stringify(await linesOf(deployment.id)),
    JSON.stringify(events),
    Buffer.from(await artifact.arrayBuffer()).toString('latin1'),
  ];
  for (const text of kept) for (const form of forms) expect(text).not.toContain(form);
});

test('the output of an application is stored and read in order, continuing after the last response', async () => {
  const server = "require('node:http').createServer((q, s) => { console.log('asked for ' + q.url); s.end(); })";
  commit('prints-later', { ...app(''), 'server.js': `console.error('starting'); ${server}.listen(process.env.PORT);` });
  const { id, primaryDomain } = await create('prints-later');
  const read = async (query: { after?: string; limit?: string } = {}) =>
    (await account.dashboard.call(readAppLogs, { params: { id }, query })).body;
  expect(await read()).toEqual({ data: [], has_more: false });
  expect((await deploy(id)).status).toBe('SUCCEEDED');
  for (const path of ['/one', '/two', '/three']) await get(local.baseUrl, primaryDomain, path);
  const all = await waitFor(async () => {
    const { data } = await read();
    return data.at(-1)?.text === 'asked for /three' && data;
  });
  const texts = all.map(({ text }) => text);
  expect(texts[0]).toBe('starting');
  expect(texts.slice(-3)).toEqual(['asked for /one', 'asked for /two', 'asked for /three']);
  // Each line belongs to the request that printed it.
  expect(all[0]?.requestId).toBeNull();
  const requests = all.slice(-3).map(({ requestId }) => requestId);
  for (const each of requests) expect(each).toMatch(/^[\w-]{8}$/);
  expect(new Set(requests).size).toBe(3);
  const first = await read({ limit: '2' });
  expect(first).toEqual({ data: all.slice(0, 2), has_more: true });
  expect(await read({ after: first.data[1]?.id ?? '' })).toEqual({ data: all.slice(2), has_more: false });
  const stranger = await newAccount();
  expect(codeOf(await stranger.dashboard.call(readAppLogs, { params: { id } }))).toBe('not_found');
  const refused = await account.dashboard.call(readAppLogs, { params: { id }, query: { after: 'x' } });
  expect(refused.error?.message).toMatch(/^after: /);
});

test.each(['20', '22', '24'] as const)(
  'Node %s builds and runs an application',
  async (nodeVersion) => {
    const name = `node-${nodeVersion}`;
    commit(name, {
      ...app("require('./built.json') + ' ' + process.version"),
      'build.js': "require('fs').writeFileSync('built.json', JSON.stringify(process.version))",
    });
    const { id, primaryDomain } = await create(name, { nodeVersion, buildCommand: 'node build.js' });
    expect((await deploy(id)).status).toBe('SUCCEEDED');
    const { body } = await get(local.baseUrl, primaryDomain);
    expect(body).toMatch(new RegExp(`^v${nodeVersion}\\.\\S+ v${nodeVersion}\\.`));
  },
  120_000,
);

test('a second deployment with the same lockfile reuses its dependencies, and a changed one does not', async () => {
  const files = (version: string) => ({
    ...app("require('ms/package.json').version"),
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', dependencies: { ms: version } }),
    'package-lock.json': JSON.stringify({
      name: 'app',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'app', version: '1.0.0', dependencies: { ms: version } },
        'node_modules/ms': { version },
      },
    }),
  });
  commit('cached', files('2.1.2'));
  const { id, primaryDomain } = await create('cached');
  const taken = 'restored the dependencies of an earlier build';
  const first = await deploy(id);
  expect(first.status).toBe('SUCCEEDED');
  expect(first.log).not.toContain(taken);
  expect((await deploy(id)).log).toContain(taken);
  expect((await get(local.baseUrl, primaryDomain)).body).toBe('2.1.2');
  commit('cached', files('2.1.3'));
  expect((await deploy(id)).log).not.toContain(taken);
  expect((await get(local.baseUrl, primaryDomain)).body).toBe('2.1.3');
});

test('an application of more than 11 MiB, compressed, is deployed', async () => {
  const build = "require('fs').writeFileSync('large.bin', require('crypto').randomBytes(12 * 1024 * 1024))";
  commit('large', { ...app("String(require('fs').statSync('large.bin').size)"), 'build.js': build });
  const { id, primaryDomain } = await create('large', { buildCommand: 'node build.js' });
  const { status, log } = await deploy(id);
  expect(status, log).toBe('SUCCEEDED');
  expect((await get(local.baseUrl, primaryDomain)).body).toBe(String(12 * 1024 * 1024));
});
