import { describe, expect, test } from 'vitest';
import { getAccount } from '../../../contract/accounts/accounts.ts';
import { createApp, deleteApp, editApp, getApp, listApps, updateApp } from '../../../contract/apps/apps.ts';
import { inspectRepository } from '../../../contract/apps/repository-inspection.ts';
import { clientOf, codeOf, local, newAccount, type OpenedAccount, raw } from '../../support/harness.ts';

let count = 0;
const unique = (name: string) => `${name} ${process.pid} ${count++}`;
const create = (account: OpenedAccount, fields: Record<string, unknown> = {}) =>
  account.call(createApp, { body: { name: unique('App'), ...fields } as { name: string } });

test('the account shows its plan and balance', async () => {
  const account = await newAccount({ appLimit: 3, walletCents: 123_450 });
  const { body } = await account.call(getAccount);
  expect(body.data).toMatchObject({ id: account.id, walletBalance: '1234.50', plan: { appLimit: 3 } });
});

test('a response names the fields of the body that had no effect, a repeated and a refused one too', async () => {
  const account = await newAccount({ appLimit: 1 });
  const headers = { authorization: `Bearer ${account.secretKey}`, 'idempotency-key': 'one' };
  const post = (body: object) => raw('/v1/apps', { method: 'POST', headers, body: JSON.stringify(body) });
  const body = { name: unique('App'), deploy: false, repo: 'https://example.com/x' };
  const answers = [await post(body), await post(body), await post({ ...body, branch: 'x' })];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 409]);
  for (const answer of answers) expect(answer.headers.get('x-ignored-parameters')).toBe('deploy, repo');
  const known = await raw('/v1/webhooks', { method: 'POST', headers, body: '{"url": "https://example.com/"}' });
  expect(known.headers.has('x-ignored-parameters')).toBe(false);
});

test('reads a repository before an application exists, and answers for an unreadable one too', async () => {
  const { dashboard } = await newAccount();
  const read = (url: string) => dashboard.call(inspectRepository, { query: { url } });
  expect((await read('https://git.localhost/hello-express.git')).body.data).toMatchObject({
    problem: null,
    branches: ['main'],
    branch: 'main',
    notes: [],
    detected: {
      framework: 'Express',
      setting: 'EXPRESS',
      packageManager: 'npm',
      start: expect.stringMatching(/^node /),
    },
  });
  expect((await read('https://git.localhost/absent.git')).body.data).toMatchObject({
    problem: expect.stringContaining('was not found'),
    branches: [],
  });
  expect((await read('ext::sh -c id')).status).toBe(400);
  expect((await read('https://10.0.0.8/app.git')).status).toBe(400);
  expect((await read('git@github.com:you/app.git')).status).toBe(400);
});

test('an application gets the defaults of its framework and can be read back', async () => {
  const account = await newAccount();
  const name = unique('My Shop');
  const { body } = await account.call(createApp, { body: { name } });
  const slug = name.toLowerCase().replaceAll(' ', '-');
  expect(body.data).toMatchObject({
    name,
    slug,
    framework: 'NEXTJS',
    nodeVersion: '22',
    repoUrl: null,
    branch: 'main',
    installCommand: 'npm ci',
    buildCommand: 'npm run build',
    startFile: '.next/standalone/server.js',
    status: 'RUNNING',
    autoDeploy: false,
    primaryDomain: `${slug}.apps.localhost`,
  });
  expect((await account.call(getApp, { params: { id: body.data.id } })).body).toEqual(body);
  const express = await create(account, { framework: 'EXPRESS', buildCommand: null });
  expect(express.body.data).toMatchObject({ buildCommand: null, startFile: 'server.js' });
});

describe('a repository', () => {
  test.each([
    '',
    'nonsense',
    'http://github.com/you/app.git',
    'ssh://git@github.com/you/app.git',
    'git://github.com/you/app',
    'ext::sh -c touch% /tmp/x',
    'file:///etc/passwd',
    '--upload-pack=touch /tmp/x',
    'git@-oProxyCommand=x:you/app',
    'https://you:secret@github.com/you/app.git',
    'https://github.com/you/app.git\n--upload-pack=x',
    'https://gіthub.com/you/app.git',
    'https://10.0.0.1/app.git',
    'git@192.168.1.1:app.git',
    'https://2130706433/a',
    'https://169.254.169.254/latest',
    'https://git.internal/app.git',
    `https://github.com/${'a'.repeat(2048)}`,
  ])('rejects %j naming the field', async (repoUrl) => {
    const answer = await create(await newAccount(), { repoUrl, deployNow: false });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    expect(answer.error?.message).toMatch(/^repoUrl: must /);
  });

  test.each([
    'https://x.github.io/app.git',
    'https://git.example.com:8443/group/sub/app.git',
    'https://example.com/@you/app',
    'git@github.com:you/app.git',
    'git@host.example:group/sub/repo.git',
    'git@[host.example:2222]:you/app.git',
  ])('accepts %s', async (repoUrl) => {
    const answer = await create(await newAccount(), { repoUrl, deployNow: false });
    expect([answer.status, answer.body.data.repoUrl]).toEqual([201, repoUrl]);
  });
});

test('a taken slug gets a suffix; racing creates get different addresses', async () => {
  const account = await newAccount();
  const name = unique('Racing');
  const made = await Promise.all(Array.from({ length: 5 }, () => account.call(createApp, { body: { name } })));
  const slugs = made.map(({ body }) => body.data.slug);
  expect(new Set(slugs).size).toBe(5);
  expect(slugs.filter((slug) => slug === name.toLowerCase().replaceAll(' ', '-'))).toHaveLength(1);
});

test('exactly one of several racing callers claims a custom domain, regardless of case', async () => {
  const accounts = await Promise.all([newAccount(), newAccount(), newAccount()]);
  const domain = `www.shop-${process.pid}-${count++}.example`;
  const answers = await Promise.all(
    accounts.map((account, index) => create(account, { customDomain: index === 1 ? domain.toUpperCase() : domain })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(answers.find(({ status }) => status === 201)?.body.data.primaryDomain).toBe(domain);
  const lost = answers.filter(({ status }) => status === 409);
  for (const answer of lost) expect(codeOf(answer)).toBe('conflict');
});

test.each(['x.apps.localhost', 'apps.localhost'])(
  'rejects a claim of %s, a name under the platform’s domain',
  async (customDomain) => {
    const answer = await create(await newAccount(), { customDomain });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    expect(answer.error?.message).toMatch(/^customDomain: /);
  },
);

test('the plan limits the applications, also for racing creates; deleting frees the slot at once', async () => {
  const account = await newAccount({ appLimit: 2 });
  const answers = await Promise.all([1, 2, 3, 4].map(() => create(account)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 402, 402]);
  expect(codeOf(await create(account))).toBe('plan_limit');
  const id = answers.find(({ status }) => status === 201)?.body.data.id ?? '';
  const deleted = await account.call(deleteApp, { params: { id } });
  expect(deleted.body).toEqual({ data: { id, deleted: true } });
  expect((await create(account)).status).toBe(201);
});

describe('a deleted application', () => {
  test('is gone everywhere, and can be deleted once only', async () => {
    const account = await newAccount();
    const { id } = (await create(account)).body.data;
    const answers = await Promise.all([1, 2, 3].map(() => account.call(deleteApp, { params: { id } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await account.call(getApp, { params: { id } })).status).toBe(404);
    expect((await account.call(updateApp, { params: { id }, body: {} })).status).toBe(404);
    expect((await account.call(listApps)).body.data).toEqual([]);
  });

  test('frees its addresses: a new application with the same name gets them at once', async () => {
    const account = await newAccount();
    const fields = { name: unique('Again'), customDomain: `again-${process.pid}-${count++}.example` };
    const first = (await create(account, fields)).body.data;
    await account.call(deleteApp, { params: { id: first.id } });
    const again = await create(account, fields);
    expect(again.status).toBe(201);
    expect(again.body.data).toMatchObject({ slug: first.slug, primaryDomain: fields.customDomain });
    expect(codeOf(await create(account, { ...fields, name: unique('Other') }))).toBe('conflict');
  });
});

test('PATCH changes only the given fields', async () => {
  const account = await newAccount();
  const before = (await create(account, { framework: 'NODE', buildCommand: 'make' })).body.data;
  const { body } = await account.call(updateApp, {
    params: { id: before.id },
    body: { branch: 'next', nodeVersion: '24', buildCommand: null, autoDeploy: true },
  });
  const changed = { branch: 'next', nodeVersion: '24', buildCommand: null, autoDeploy: true };
  expect(body.data).toEqual({ ...before, ...changed, updatedAt: expect.any(String) });
  expect(body.data.updatedAt > before.updatedAt).toBe(true);
  const refused = await account.call(updateApp, { params: { id: before.id }, body: { autoDeploy: 'yes' as never } });
  expect(refused.error?.message).toBe('autoDeploy: must be a boolean');
});

test('PATCH of a key ignores the fields that the specification does not let it change, and names them', async () => {
  const account = await newAccount();
  const before = (await create(account, { framework: 'EXPRESS' })).body.data;
  const fields = {
    name: 'Renamed',
    framework: 'NUXT',
    repoUrl: 'https://example.com/other.git',
    slug: 'x',
    status: 'SUSPENDED',
  };
  const { status, headers, body } = await account.call(updateApp, {
    params: { id: before.id },
    body: { ...fields, branch: 'next' } as never,
  });
  expect(status).toBe(200);
  expect(body.data).toEqual({ ...before, branch: 'next', updatedAt: expect.any(String) });
  expect(headers.get('x-ignored-parameters')?.split(', ').sort()).toEqual(Object.keys(fields).sort());
  const wrong = await account.call(updateApp, { params: { id: before.id }, body: { name: 5 } as never });
  expect([wrong.status, wrong.headers.get('x-ignored-parameters')]).toEqual([200, 'name']);
});

test('in the dashboard, a changed name keeps the address, and another framework brings its defaults where none was chosen', async () => {
  const account = await newAccount();
  const made = (await create(account, { framework: 'NEXTJS', buildCommand: 'make' })).body.data;
  const change = async (body: { name?: string; framework?: 'NODE' | 'NUXT' }) =>
    (await account.dashboard.call(editApp, { params: { id: made.id }, body })).body.data;
  const { defaultDomain, primaryDomain, slug } = made;
  expect(await change({ name: 'Renamed', framework: 'NODE' })).toMatchObject({
    name: 'Renamed',
    framework: 'NODE',
    startFile: 'server.js',
    buildCommand: 'make',
    defaultDomain,
    primaryDomain,
    slug,
    customDomainStatus: null,
  });
  await account.dashboard.call(editApp, { params: { id: made.id }, body: { startFile: 'mine.js' } });
  expect(await change({ framework: 'NUXT' })).toMatchObject({ framework: 'NUXT', startFile: 'mine.js' });
});

test("every operation on another account's application is 404", async () => {
  const { id } = (await create(await newAccount())).body.data;
  const stranger = await newAccount();
  for (const answer of [
    await stranger.call(getApp, { params: { id } }),
    await stranger.call(updateApp, { params: { id }, body: { branch: 'x' } }),
    await stranger.dashboard.call(editApp, { params: { id }, body: { name: 'Stolen' } }),
    await stranger.call(deleteApp, { params: { id } }),
  ]) {
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  }
});

test.each(['x'.repeat(65), 'x'.repeat(5000), '%00', '%F0%9F%98%80', '%ff', 'a%2Fb'])(
  'a malformed id (%s) is 404 like an unknown one',
  async (id) => {
    const { secretKey } = await newAccount();
    const headers = { authorization: `Bearer ${secretKey}` };
    for (const path of [`/v1/apps/${id}`, `/v1/apps/${id}/deployments`, `/v1/domains/dom_1/dns/${id}`]) {
      const method = path.includes('dns') ? 'DELETE' : 'GET';
      const answer = await raw(path, { method, headers });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toMatchObject({ error: { code: 'not_found', status: 404 } });
    }
  },
);

test('pages are newest first, neither overlap nor leave gaps, and report whether there are more', async () => {
  const account = await newAccount();
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1) made.unshift((await create(account)).body.data.id);
  const page = async (limit: number, offset: number) => {
    const { body } = await account.call(listApps, { query: { limit: String(limit), offset: String(offset) } });
    return [body.data.map(({ id }) => id), body.has_more] as const;
  };
  expect(await page(2, 0)).toEqual([made.slice(0, 2), true]);
  expect(await page(2, 2)).toEqual([made.slice(2, 4), true]);
  expect(await page(2, 4)).toEqual([made.slice(4), false]);
  expect(await page(5, 0)).toEqual([made, false]);
  expect(await page(5, 5)).toEqual([[], false]);
  expect(await page(5, 99)).toEqual([[], false]);
});

test.each([
  ['broken JSON', '{"name":'],
  ['an array', '[]'],
  ['a number', '7'],
  ['nothing', ''],
  ['a body over 1 MiB', JSON.stringify({ name: 'x'.repeat(1_100_000) })],
  ['a body over 6 MiB', JSON.stringify({ name: 'x'.repeat(6_500_000) })],
  ['a body over 10 MiB', JSON.stringify({ name: 'x'.repeat(10_600_000) })],
])('%s is 400 naming the field', async (_what, body) => {
  const { secretKey } = local.accounts.demo;
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'text/plain' };
  const answer = await raw('/v1/apps', { method: 'POST', headers, body });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    error: { message: expect.stringMatching(/^(body|name): /), code: 'invalid_request', status: 400 },
  });
});

test('parses the body as JSON regardless of its content type', async () => {
  const account = await newAccount();
  const headers = { authorization: `Bearer ${account.secretKey}`, 'content-type': 'application/octet-stream' };
  const answer = await raw('/v1/apps', { method: 'POST', headers, body: JSON.stringify({ name: unique('Typed') }) });
  expect(answer.status).toBe(201);
});

test('allows browsers from any origin, and a preflight does not count as a request', async () => {
  const answer = await raw('/v1/apps', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-public-key',
    },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-public-key');
  expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
  const client = clientOf({ secretKey: local.accounts.demo.secretKey, headers: { origin: 'https://shop.example' } });
  const { headers } = await client.call(listApps);
  expect(headers.get('access-control-expose-headers')?.toLowerCase()).toContain('x-ratelimit-remaining');
});
