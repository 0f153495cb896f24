import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createApp, deleteApp, updateApp } from '../../../contract/apps/apps.ts';
import { getDeployKey, getGitHook, rotateDeployKey, rotateGitHook } from '../../../contract/apps/git-access.ts';
import { getDeployment, listDeployments } from '../../../contract/deployments/deployments.ts';
import { asForm, HOSTS, type PushOf, type SentHook } from '../../support/git-hooks.ts';
import { codeOf, local, newAccount, type OpenedAccount, raw, waitFor } from '../../support/harness.ts';

const hookOf = async ({ dashboard }: OpenedAccount, id: string) =>
  (await dashboard.call(getGitHook, { params: { id } })).body.data;

const send = async (id: string, { headers, body }: SentHook) => {
  const answer = await raw(`/hooks/git/${id}`, { method: 'POST', headers, body });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
};

/** Creates an application with auto-deploy and a missing repository: its deployments fail fast. */
async function withApp({ autoDeploy = true } = {}) {
  const account = await newAccount();
  const body = { name: 'Pushed', repoUrl: 'https://git.localhost/none.git', deployNow: false };
  const { id } = (await account.call(createApp, { body })).body.data;
  if (autoDeploy) await account.call(updateApp, { params: { id }, body: { autoDeploy } });
  const { secret } = await hookOf(account, id);
  const push = (of?: PushOf) => send(id, HOSTS.GitHub(secret, of));
  return { account, id, secret, push };
}

const waitForEnd = (account: OpenedAccount, id: string) =>
  waitFor(async () => {
    const { body } = await account.call(getDeployment, { params: { id } });
    return body.data.finishedAt !== null && body.data;
  });

test.each(Object.entries(HOSTS))(
  'a push from %s starts a deployment that shows its commit',
  { timeout: 120_000 },
  async (_host, hook) => {
    const { account, id, secret } = await withApp();
    const commitSha = randomBytes(20).toString('hex');
    const answer = await send(id, hook(secret, { commitSha }));
    expect([answer.status, answer.body]).toEqual([202, { data: { deploymentId: expect.stringMatching(/^dep_/) } }]);
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'])
      expect(answer.headers.get(name), name).toBeTruthy();
    const { data } = answer.body as { data: { deploymentId: string } };
    const deployment = await waitForEnd(account, data.deploymentId);
    expect(deployment).toMatchObject({ trigger: 'PUSH', applicationId: id, commitSha: commitSha.slice(0, 7) });
  },
);

test('verifies the signature over the raw bytes: a form, white space, non-ASCII characters', async () => {
  const { id, secret } = await withApp({ autoDeploy: false });
  const hook = HOSTS.GitHub(secret, { message: 'naïve ☃ \u{1f600}' });
  expect((await send(id, hook)).status).toBe(200);
  expect((await send(id, asForm(hook, secret))).status).toBe(200);
  expect((await send(id, { ...hook, body: ` ${hook.body}` })).status).toBe(401);
});

test('a redelivered push deploys once and gets the same response', async () => {
  const { account, id, secret } = await withApp();
  const hook = HOSTS.GitHub(secret);
  const answers = [...(await Promise.all([send(id, hook), send(id, hook)])), await send(id, hook)];
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect((await account.call(listDeployments, { params: { id } })).body.data).toHaveLength(1);
});

test('of many concurrent pushes one deployment starts, one waits, and both finish', async () => {
  const account = await newAccount();
  // The deployment takes long enough for all of them to arrive.
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
  for (const each of made)
    expect(await waitForEnd(account, each)).toMatchObject({ status: 'SUCCEEDED', trigger: 'PUSH' });
  const { data } = (await account.call(listDeployments, { params: { id } })).body;
  expect(new Set(data.map((each) => each.id))).toEqual(made);
});

describe('is ignored with the reason in the response', () => {
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

describe('is rejected', () => {
  const refusal = (status: number, code: string) => ({ error: { message: expect.any(String), code, status } });

  test('401 with an invalid signature, another application’s, or none', async () => {
    const { id, secret } = await withApp();
    const other = await withApp();
    for (const hook of [...Object.values(HOSTS).map((host) => host(other.secret)), { headers: {}, body: '{}' }]) {
      const { status, body } = await send(id, hook);
      expect([status, body]).toEqual([401, refusal(401, 'unauthorized')]);
    }
    expect(other.secret).not.toBe(secret);
  });

  test('404 for an unknown or deleted application', async () => {
    const { account, id, secret } = await withApp();
    const { status, body } = await send('app_none', HOSTS.GitHub(secret));
    expect([status, body]).toEqual([404, refusal(404, 'not_found')]);
    await account.call(deleteApp, { params: { id } });
    expect((await send(id, HOSTS.GitHub(secret))).status).toBe(404);
  });

  test('400 over 4 MiB, even at 25 MB; just below the limit it is read', async () => {
    const { id, secret } = await withApp({ autoDeploy: false });
    const large = HOSTS.GitHub(secret, { message: 'x'.repeat(4 * 1024 * 1024 - 1024) });
    expect((await send(id, large)).status).toBe(200);
    for (const size of [4.2 * 1024 * 1024, 25_000_000]) {
      const { status, body } = await send(id, HOSTS.GitHub(secret, { message: 'x'.repeat(size) }));
      expect([status, body]).toEqual([400, refusal(400, 'invalid_request')]);
    }
  });

  test('400 for a signed body that is not a push', async () => {
    const { id, secret } = await withApp();
    const { headers } = HOSTS.GitLab(secret);
    for (const body of ['', 'not JSON', '[]', '{"ref":"refs/heads/main"}', '{"ref":[],"after":"a"}']) {
      const answer = await send(id, { headers, body });
      expect([answer.status, answer.body], body).toEqual([400, refusal(400, 'invalid_request')]);
    }
  });
});

describe('the webhook secret and the deploy key of an application', () => {
  test('are shown to a login of its account and stay the same', async () => {
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

  test('a rotated webhook secret is valid immediately, and the previous one is invalid', async () => {
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

  test('a rotated deploy key is new and shown from then on', async () => {
    const { account, id, secret } = await withApp({ autoDeploy: false });
    const params = { id };
    const before = (await account.dashboard.call(getDeployKey, { params })).body.data;
    const { data } = (await account.dashboard.call(rotateDeployKey, { params })).body;
    expect(data.publicKey).toMatch(new RegExp(`^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/=]+ ${id}$`));
    expect(data).not.toEqual(before);
    expect((await account.dashboard.call(getDeployKey, { params })).body.data).toEqual(data);
    expect((await hookOf(account, id)).secret, 'the hook is left alone').toBe(secret);
  });

  test('are 404 for another account, an API key, or a deleted application', async () => {
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
