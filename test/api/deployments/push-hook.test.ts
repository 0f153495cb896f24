import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createApp, deleteApp, updateApp } from '../../../contract/apps/apps.ts';
import { getDeployKey, getGitHook, rotateDeployKey, rotateGitHook } from '../../../contract/apps/git-access.ts';
import { getDeployment, listDeployments } from '../../../contract/deployments/deployments.ts';
import { asForm, HOSTS, type PushOf, type SentHook } from '../../support/git-hooks.ts';
import { codeOf, local, newAccount, type Opened, raw, until } from '../../support/harness.ts';

const hookOf = async ({ dashboard }: Opened, id: string) =>
  (await dashboard.call(getGitHook, { params: { id } })).body.data;

const send = async (id: string, { headers, body }: SentHook) => {
  const answer = await raw(`/hooks/git/${id}`, { method: 'POST', headers, body });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
};

/** An application that deploys on push, from a repository that is not there: its deployments fail fast. */
async function withApp({ autoDeploy = true } = {}) {
  const account = await newAccount();
  const body = { name: 'Pushed', repoUrl: 'https://git.localhost/none.git', deployNow: false };
  const { id } = (await account.call(createApp, { body })).body.data;
  if (autoDeploy) await account.call(updateApp, { params: { id }, body: { autoDeploy } });
  const { secret } = await hookOf(account, id);
  const push = (of?: PushOf) => send(id, HOSTS.GitHub(secret, of));
  return { account, id, secret, push };
}

const ended = (account: Opened, id: string) =>
  until(async () => {
    const { body } = await account.call(getDeployment, { params: { id } });
    return body.data.finishedAt !== null && body.data;
  });

test.each(Object.entries(HOSTS))('a push from %s starts a deployment that shows its commit', async (_host, hook) => {
  const { account, id, secret } = await withApp();
  const commitSha = randomBytes(20).toString('hex');
  const answer = await send(id, hook(secret, { commitSha }));
  expect([answer.status, answer.body]).toEqual([202, { data: { deploymentId: expect.stringMatching(/^dep_/) } }]);
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'])
    expect(answer.headers.get(name), name).toBeTruthy();
  const { data } = answer.body as { data: { deploymentId: string } };
  const deployment = await ended(account, data.deploymentId);
  expect(deployment).toMatchObject({ trigger: 'PUSH', applicationId: id, commitSha: commitSha.slice(0, 7) });
});

test('the bytes are what is signed: a form, white space, other characters', async () => {
  const { id, secret } = await withApp({ autoDeploy: false });
  const hook = HOSTS.GitHub(secret, { message: 'naïve ☃ \u{1f600}' });
  expect((await send(id, hook)).status).toBe(200);
  expect((await send(id, asForm(hook, secret))).status).toBe(200);
  expect((await send(id, { ...hook, body: ` ${hook.body}` })).status).toBe(401);
});

test('a delivery that comes again deploys once and is answered alike', async () => {
  const { account, id, secret } = await withApp();
  const hook = HOSTS.GitHub(secret);
  const answers = [...(await Promise.all([send(id, hook), send(id, hook)])), await send(id, hook)];
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect((await account.call(listDeployments, { params: { id } })).body.data).toHaveLength(1);
});

test('of many pushes at once one deployment starts, one waits its turn, and both end', async () => {
  const account = await newAccount();
  // Long enough under way for all of them to arrive.
  const slow = { repoUrl: 'https://git.localhost/hello-node.git', installCommand: 'sleep 3' };
  const { id } = (
    await account.call(createApp, { body: { name: 'Busy', framework: 'NODE', deployNow: false, ...slow } })
  ).body.data;
  await account.call(updateApp, { params: { id }, body: { autoDeploy: true } });
  const { secret } = await hookOf(account, id);
  const answers = await Promise.all(Array.from({ length: 12 }, () => send(id, HOSTS.GitHub(secret))));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  const made = new Set(answers.map(({ body }) => (body as { data: { deploymentId: string } }).data.deploymentId));
  expect(made.size).toBe(2);
  for (const each of made) expect(await ended(account, each)).toMatchObject({ status: 'SUCCEEDED', trigger: 'PUSH' });
  const { data } = (await account.call(listDeployments, { params: { id } })).body;
  expect(new Set(data.map((each) => each.id))).toEqual(made);
}, 60_000);

describe('is passed over with the reason in the answer', () => {
  test.each<[string, PushOf, RegExp]>([
    ['another branch', { branch: 'dev' }, /deploys the branch main/],
    ['a tag', { tag: 'v1.0.0' }, /tags/],
    ['a deleted branch', { deleted: true }, /deleted/],
    ['[skip ci]', { message: 'docs [skip ci]' }, /skip/],
  ])('%s', async (_what, of, why) => {
    const { account, id, push } = await withApp();
    const { status, body } = await push(of);
    expect([status, body]).toEqual([200, { data: { ignored: expect.stringMatching(why) } }]);
    expect((await account.call(listDeployments, { params: { id } })).body.data).toEqual([]);
  });

  test('autoDeploy off; a ping', async () => {
    const { id, push, secret } = await withApp({ autoDeploy: false });
    expect((await push()).body).toEqual({ data: { ignored: expect.stringMatching(/autoDeploy/) } });
    const { headers, body } = HOSTS.GitHub(secret);
    const ping = await send(id, { headers: { ...headers, 'x-github-event': 'ping' }, body });
    expect([ping.status, ping.body]).toEqual([200, { data: { ignored: 'ping is not a push' } }]);
  });
});

describe('is refused', () => {
  const refusal = (status: number, code: string) => ({ error: { message: expect.any(String), code, status } });

  test('401 with a wrong signature, another application’s, or none', async () => {
    const { id, secret } = await withApp();
    const other = await withApp();
    for (const hook of [...Object.values(HOSTS).map((host) => host(other.secret)), { headers: {}, body: '{}' }]) {
      const { status, body } = await send(id, hook);
      expect([status, body]).toEqual([401, refusal(401, 'unauthorized')]);
    }
    expect(other.secret).not.toBe(secret);
  });

  test('404 for an application that is not there, or not any more', async () => {
    const { account, id, secret } = await withApp();
    const { status, body } = await send('app_none', HOSTS.GitHub(secret));
    expect([status, body]).toEqual([404, refusal(404, 'not_found')]);
    await account.call(deleteApp, { params: { id } });
    expect((await send(id, HOSTS.GitHub(secret))).status).toBe(404);
  });

  test('400 over 4 MiB, also with 25 MB, and just below it is read', async () => {
    const { id, secret } = await withApp({ autoDeploy: false });
    const large = HOSTS.GitHub(secret, { message: 'x'.repeat(4 * 1024 * 1024 - 1024) });
    expect((await send(id, large)).status).toBe(200);
    for (const size of [4.2 * 1024 * 1024, 25_000_000]) {
      const { status, body } = await send(id, HOSTS.GitHub(secret, { message: 'x'.repeat(size) }));
      expect([status, body]).toEqual([400, refusal(400, 'invalid_request')]);
    }
  });

  test('400 for a signed body that is no push', async () => {
    const { id, secret } = await withApp();
    const { headers } = HOSTS.GitLab(secret);
    for (const body of ['', 'not JSON', '[]', '{"ref":"refs/heads/main"}', '{"ref":[],"after":"a"}']) {
      const answer = await send(id, { headers, body });
      expect([answer.status, answer.body], body).toEqual([400, refusal(400, 'invalid_request')]);
    }
  });
});

describe('what an application and its Git host know each other by', () => {
  test('is shown to whoever is logged in to its account, and stays the same', async () => {
    const { account, id } = await withApp();
    const other = await withApp();
    const hook = await hookOf(account, id);
    expect(hook).toEqual({ url: `${local.baseUrl}/hooks/git/${id}`, secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await hookOf(account, id)).toEqual(hook);
    const keyOf = async ({ account, id }: typeof other) =>
      (await account.dashboard.call(getDeployKey, { params: { id } })).body.data.publicKey;
    const key = await keyOf({ ...other, account, id });
    expect(key).toMatch(new RegExp(`^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/=]+ ${id}$`));
    expect(await keyOf(other)).not.toBe(key);
  });

  test('a new hook secret is in use at once, and the one before is not', async () => {
    const { account, id, secret } = await withApp({ autoDeploy: false });
    for (const host of Object.values(HOSTS)) expect((await send(id, host(secret))).status).toBe(200);
    const { data } = (await account.dashboard.call(rotateGitHook, { params: { id } })).body;
    expect(data).toEqual({ url: `${local.baseUrl}/hooks/git/${id}`, secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await hookOf(account, id)).toEqual(data);
    for (const host of Object.values(HOSTS)) {
      expect((await send(id, host(secret))).status).toBe(401);
      expect((await send(id, host(data.secret))).status).toBe(200);
    }
  });

  test('a new deploy key is another one, and what is shown from then on', async () => {
    const { account, id, secret } = await withApp({ autoDeploy: false });
    const params = { id };
    const before = (await account.dashboard.call(getDeployKey, { params })).body.data;
    const { data } = (await account.dashboard.call(rotateDeployKey, { params })).body;
    expect(data.publicKey).toMatch(new RegExp(`^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/=]+ ${id}$`));
    expect(data).not.toEqual(before);
    expect((await account.dashboard.call(getDeployKey, { params })).body.data).toEqual(data);
    expect((await hookOf(account, id)).secret, 'the hook is left alone').toBe(secret);
  });

  test('is nothing to another account, to an API key, or once the application is deleted', async () => {
    const { account, id } = await withApp();
    const stranger = await newAccount();
    for (const route of [getDeployKey, getGitHook, rotateDeployKey, rotateGitHook]) {
      expect(codeOf(await stranger.dashboard.call(route, { params: { id } }))).toBe('not_found');
      expect(codeOf(await account.call(route, { params: { id } }))).toBe('unauthorized');
    }
    await account.call(deleteApp, { params: { id } });
    for (const route of [getDeployKey, getGitHook, rotateDeployKey, rotateGitHook]) {
      expect(codeOf(await account.dashboard.call(route, { params: { id } }))).toBe('not_found');
    }
  });
});
