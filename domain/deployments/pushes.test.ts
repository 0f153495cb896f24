import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Account } from '../../table/entities/accounts.ts';
import type { App, GitAccess } from '../../table/entities/apps.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { interruptAt } from '../../test/simulation/simulation.ts';
import { HOSTS, type PushOf } from '../../test/support/git-hooks.ts';
import type { Deps } from '../deps.ts';
import { createDeployment } from './create.ts';
import { failDeployment, succeedDeployment } from './finish.ts';
import { receivePush } from './pushes.ts';

const sealed = { wrappedKey: '', iv: '', ciphertext: '' };

async function world(fields: Partial<App> = {}, account: Partial<Account> = {}) {
  const made = await deploymentSimulation(fields, account);
  const access: GitAccess = { ...made.ids, hookSecret: sealed, publicKey: '', privateKey: sealed };
  const push = async (of: PushOf = {}, by: Deps = made.deps) => {
    const { headers, body } = HOSTS.GitHub('', of);
    const { output } = await receivePush(by, access, { headers, body: Buffer.from(body) });
    return 'deploymentId' in output.data ? output.data.deploymentId : output.data;
  };
  return { ...made, push };
}

test('a push starts a deployment with its commit', async () => {
  const { push, deployments, app } = await world();
  const id = await push({ commitSha: 'abcdef0123456789' });
  expect(deployments()).toMatchObject([{ id, trigger: 'PUSH', status: 'QUEUED', commitSha: 'abcdef0' }]);
  expect(deployments()[0]).not.toHaveProperty('waiting');
  expect((await app())?.activeDeploymentId).toBe(id);
});

test.each<[string, PushOf, Partial<App>, string]>([
  ['another branch', { branch: 'other' }, {}, 'this application deploys the branch main'],
  ['a tag of the same name', { tag: 'main' }, {}, 'tags are not deployed'],
  ['notes', { ref: 'refs/notes/commits' }, {}, 'this application deploys the branch main'],
  ['a deletion', { deleted: true }, {}, 'the branch main was deleted'],
  ['[skip ci]', { message: 'Docs\n\n[Skip CI]' }, {}, 'its newest commit says to skip it'],
  ['autoDeploy off', {}, { autoDeploy: false }, 'autoDeploy is off for this application'],
  ['a suspended application', {}, { status: 'SUSPENDED' }, 'the application is suspended'],
  ['no repository', {}, { repoUrl: null }, 'the application has no repoUrl'],
])('ignores %s with the reason in the response', async (_what, of, fields, why) => {
  const { push, deployments } = await world(fields);
  expect(await push(of)).toEqual({ ignored: why });
  expect(deployments()).toEqual([]);
});

test('ignores a push while the account waits for its deletion, as every change is refused', async () => {
  const deletion = { requestedAt: '2026-01-30T09:30:00.000Z', endsAt: '2026-02-06T09:30:00.000Z' };
  const { push, deployments } = await world({}, { deletion });
  expect(await push()).toEqual({ ignored: 'the account will be deleted on 2026-02-06' });
  expect(deployments()).toEqual([]);
});

test('ignores a push of an account without build minutes, also one that would wait, and says so', async () => {
  const used = { limits: { buildMinutesPerMonth: 5 }, buildMonth: '2026-01', buildMinutes: 5 };
  const ignored = { ignored: expect.stringContaining('buildMinutesPerMonth') };
  for (const app of [{}, { activeDeploymentId: 'dep_1' }]) {
    const { push, deployments } = await world(app, used);
    expect(await push()).toEqual(ignored);
    expect(deployments()).toEqual([]);
  }
});

test('a redelivered push, even concurrent, deploys once and gets the same response', async () => {
  const { push, deployments } = await world();
  const deliveryId = randomUUID();
  const answers = await Promise.all([1, 2, 3].map(() => push({ deliveryId })));
  expect(new Set([...answers, await push({ deliveryId })]).size).toBe(1);
  expect(deployments()).toHaveLength(1);
});

test('during a deployment one push waits, with the newest commit, and starts when the deployment finishes', async () => {
  const { push, deployments, succeed, fail, app, memory } = await world();
  const first = await push({ commitSha: '1111111' });
  const second = await push({ commitSha: '2222222' });
  expect(await push({ commitSha: '3333333' })).toBe(second);
  expect(deployments()).toMatchObject([{ id: first }, { id: second, waiting: true, commitSha: '3333333' }]);
  expect(deployments()[1]).not.toHaveProperty('dueAt');
  await succeed(String(first));
  expect(await app()).toMatchObject({ activeDeploymentId: second });
  const queued = deployments()[1];
  expect(queued).toMatchObject({ id: second, status: 'QUEUED' });
  expect(queued).not.toHaveProperty('waiting');
  expect(memory.items('QUEUED_BUILD')).toMatchObject([{ id: first }, { id: second }]);
  await fail(String(second));
  expect(await app()).not.toHaveProperty('activeDeploymentId');
});

test('an API deployment is rejected while a push waits, and a push waits for an API deployment', async () => {
  const { push, deps, deployments, succeed, caller, ids } = await world();
  const asked = { id: ids.applicationId } as Parameters<typeof createDeployment>[2];
  const { data } = await createDeployment(deps, caller, asked);
  const next = await push();
  await expect(createDeployment(deps, caller, asked)).rejects.toMatchObject({ code: 'conflict' });
  await succeed(data.id);
  expect(deployments()).toMatchObject([
    { id: data.id, status: 'SUCCEEDED' },
    { id: next, status: 'QUEUED' },
  ]);
});

test('an application deleted meanwhile starts no deployment', async () => {
  const { push, set, succeed, deployments } = await world();
  const first = await push();
  await push();
  await set({ status: 'DELETING' });
  await expect(push()).rejects.toMatchObject({ code: 'not_found' });
  await succeed(String(first));
  expect(deployments().map(({ waiting }) => waiting)).toEqual([undefined, true]);
});

test('racing pushes never run or wait two at a time, and the newest is deployed last', async () => {
  for (let round = 0; round < 30; round += 1) {
    const { push, app, deployments, succeed } = await world();
    const started: string[] = [];
    let pushing = true;
    const worker = (async () => {
      for (;;) {
        const active = (await app())?.activeDeploymentId;
        if (active) {
          started.push(active);
          await succeed(active);
        } else if (!pushing) return;
        else await new Promise((done) => setImmediate(done));
      }
    })();
    const shas = Array.from({ length: 20 }, (_, index) => String(index).repeat(7).slice(0, 7));
    for (let from = 0; from < shas.length; from += 5) {
      await Promise.all(shas.slice(from, from + 5).map((commitSha) => push({ commitSha })));
      expect(deployments().filter(({ waiting }) => waiting).length).toBeLessThanOrEqual(1);
    }
    const last = await push({ commitSha: 'newest0' });
    pushing = false;
    await worker;
    expect(new Set(started).size, 'each is started once').toBe(started.length);
    expect(deployments().map(({ status }) => status)).toEqual(started.map(() => 'SUCCEEDED'));
    expect(deployments().find(({ id }) => id === last)).toMatchObject({ commitSha: 'newest0' });
    expect(started.at(-1)).toBe(last);
  }
});

test.each(['SUCCEEDED', 'FAILED'])('a push that arrives while a deployment has %s is next', async (end) => {
  for (const isPushFirst of [true, false])
    for (let step = 1, isReached = true; isReached; step += 1) {
      isReached = false;
      const { app, deployments, deps, ids, push, startProcess } = await world();
      const deploymentId = String(await push());
      let pushed: unknown;
      const begin = async (by: Deps) => {
        pushed = await push({}, by);
      };
      const finish = (by: Deps) =>
        end === 'FAILED'
          ? failDeployment(by, { ...ids, deploymentId }, 'because')
          : succeedDeployment(by, { ...ids, deploymentId });
      const [operation, other] = isPushFirst ? [begin, finish] : [finish, begin];
      const faults = interruptAt(step, async () => {
        isReached = true;
        await other(deps);
      });
      await operation(startProcess({ faults }).deps);
      if (!isReached) continue;
      expect(await app(), `before request ${step}`).toMatchObject({ activeDeploymentId: pushed });
      expect(await app()).not.toHaveProperty('nextDeploymentId');
      expect(deployments().map(({ status, waiting }) => [status, waiting])).toEqual([
        [end, undefined],
        ['QUEUED', undefined],
      ]);
    }
});
