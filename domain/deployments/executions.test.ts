import { expect, test } from 'vitest';
import type { ExecutionStatus, Executions } from '../../providers/workflows/executions.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { HOSTS } from '../../test/support/git-hooks.ts';
import { sweep } from '../sweep/sweep.ts';
import { clearNextBuild } from './build-queue.ts';
import { createDeployment } from './create.ts';
import { deploymentQueue, routeNewApp, startDeployment } from './executions.ts';
import { receivePush } from './pushes.ts';
import { admitBuild, buildQueue } from './scheduler.ts';

const MINUTE = 60_000;

/** Sets up deployments whose executions are a list of names, controlled by the test. */
async function world() {
  const made = await deploymentSimulation();
  const { deps, caller, ids } = made;
  const executions = new Map<string, ExecutionStatus>();
  const deployments: Executions = {
    start: async (name) => void (executions.has(name) || executions.set(name, 'RUNNING')),
    status: async (name) => executions.get(name) ?? 'MISSING',
    stop: async () => undefined,
  };
  const sealed = { wrappedKey: '', iv: '', ciphertext: '' };
  const access = { ...ids, hookSecret: sealed, publicKey: '', privateKey: sealed };
  return {
    ...made,
    executions,
    deploy: async () => {
      const asked = { id: ids.applicationId } as Parameters<typeof createDeployment>[2];
      const { id } = (await createDeployment(deps, caller, asked)).data;
      await admitBuild(deps, ids.accountId);
      return id;
    },
    push: async () => {
      const { headers, body } = HOSTS.GitHub('');
      await receivePush(deps, access, { headers, body: Buffer.from(body) });
    },
    begin: (id: string) => deployments.start(id, {}),
    /** Admits the next deployment and starts what is admitted, like the stream. There are enough builders. */
    stream: async () => {
      await admitBuild(deps, ids.accountId);
      for (const each of made.deployments()) {
        if (each.status !== 'QUEUED' || each.admittedAt === undefined) continue;
        await startDeployment({ deployments }, each);
        await clearNextBuild(deps, each.id);
      }
    },
    reconcile: async () => {
      await sweep(deps, buildQueue);
      return (await sweep({ ...deps, deployments }, deploymentQueue)).done;
    },
  };
}

test('leaves a deployment in progress alone, however long it takes', async () => {
  const { deploy, begin, reconcile, clock, deployments } = await world();
  const id = await deploy();
  await begin(id);
  for (let minute = 0; minute < 25; minute += 1) {
    clock.now += MINUTE;
    await reconcile();
  }
  expect(deployments()).toMatchObject([{ id, finishedAt: null }]);
});

test('an ended deployment that is still due is checked once, and never again', async () => {
  const { deploy, reconcile, clock, deps, ids } = await world();
  const of = { accountId: ids.accountId, id: await deploy() };
  const ended = { status: 'FAILED', finishedAt: deps.now().toISOString() };
  await deps.table.write(Deployment, change(Deployment, of, { set: ended }));
  clock.now += 2 * MINUTE;
  await reconcile();
  expect(await deps.table.get(Deployment, of)).not.toHaveProperty('dueAt');
  expect(await deps.table.due('DEPLOYMENT', { until: deps.now().toISOString(), limit: 10 })).toEqual([]);
});

test('starts a deployment that was never started within two minutes', async () => {
  const { deploy, reconcile, clock, executions } = await world();
  const id = await deploy();
  await reconcile();
  expect(executions.size, 'not before the stream had its time').toBe(0);
  clock.now += MINUTE;
  await reconcile();
  expect([...executions]).toEqual([[id, 'RUNNING']]);
});

test('fails a deployment whose execution crashed within two minutes, and the next one works', async () => {
  const { deploy, begin, reconcile, clock, executions, deployments, app } = await world();
  const id = await deploy();
  await begin(id);
  clock.now += 30_000;
  await reconcile();
  executions.set(id, 'ENDED');
  const died = clock.now;
  while (deployments()[0]?.finishedAt === null) {
    clock.now += MINUTE;
    await reconcile();
  }
  expect(clock.now - died).toBeLessThanOrEqual(2 * MINUTE);
  expect(deployments()[0]).toMatchObject({ status: 'FAILED', notes: [expect.stringContaining('interrupted')] });
  expect(await app()).not.toHaveProperty('activeDeploymentId');
  expect(await deploy()).not.toBe(id);
});

test('a deployment that crashed while its release was published is published again, and fails only if that ends too', async () => {
  for (const outcome of ['SUCCEEDED', 'FAILED']) {
    const { deploy, begin, reconcile, clock, executions, deployments, deps, ids, succeed, app } = await world();
    const id = await deploy();
    await begin(id);
    const switching = { status: 'RUNNING', switchingAt: deps.now().toISOString() };
    await deps.table.write(Deployment, change(Deployment, { accountId: ids.accountId, id }, { set: switching }));
    executions.set(id, 'ENDED');
    for (let minute = 0; minute < 3; minute += 1) {
      clock.now += MINUTE;
      await reconcile();
      expect([...executions]).toEqual([
        [id, 'ENDED'],
        [`${id}-publish`, 'RUNNING'],
      ]);
      expect(deployments()).toMatchObject([{ id, finishedAt: null }]);
    }
    if (outcome === 'SUCCEEDED') await succeed(id);
    executions.set(`${id}-publish`, 'ENDED');
    clock.now += MINUTE;
    await reconcile();
    expect(deployments()).toMatchObject([{ id, status: outcome }]);
    expect(deployments()[0]?.notes.join().includes('may receive traffic')).toBe(outcome === 'FAILED');
    expect(await app()).not.toHaveProperty('activeDeploymentId');
  }
});

test('a waiting push is neither started early nor lost when the deployment ahead of it crashes', async () => {
  const { deploy, begin, push, reconcile, clock, executions, deployments } = await world();
  const first = await deploy();
  await begin(first);
  await push();
  for (let minute = 0; minute < 3; minute += 1) {
    clock.now += MINUTE;
    await reconcile();
  }
  expect([...executions.keys()]).toEqual([first]);
  executions.set(first, 'ENDED');
  for (let minute = 0; minute < 4; minute += 1) {
    clock.now += MINUTE;
    await reconcile();
  }
  const [, second] = deployments();
  expect([...executions.keys()]).toEqual([first, second?.id]);
});

test('all deployments finish, one at a time, whatever crashes and whenever', async () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let round = 0; round < 20; round += 1) {
    const { push, stream, reconcile, clock, executions, deployments, succeed, app } = await world();
    for (let step = 0; step < 60; step += 1) {
      const act = random();
      const running = [...executions].filter(([, status]) => status === 'RUNNING').map(([name]) => name);
      expect(running.length).toBeLessThanOrEqual(1);
      const [active] = running;
      if (act < 0.4) await push();
      else if (act < 0.6) await stream();
      else if (active && act < 0.8) {
        // The execution finishes, or crashes before it can record its result.
        if (random() < 0.5) await succeed(active);
        executions.set(active, 'ENDED');
      } else {
        clock.now += MINUTE;
        await reconcile();
      }
    }
    for (let left = 0; left < 40 && (await app())?.activeDeploymentId; left += 1) {
      for (const [name, status] of executions) {
        if (status !== 'RUNNING') continue;
        await succeed(name);
        executions.set(name, 'ENDED');
      }
      clock.now += MINUTE;
      await reconcile();
    }
    for (const { status, finishedAt } of deployments()) expect([status, finishedAt]).not.toContain(null);
    expect(await app()).not.toHaveProperty('nextDeploymentId');
  }
});

test('a redelivered event of a deleted application routes nothing to it', async () => {
  const { deps, app, set } = await world();
  const opened: string[] = [];
  const open = async (hosts: readonly string[]) => void opened.push(...hosts);
  const found = await app();
  if (!found) throw new Error('there is no application');
  const tell = () => routeNewApp({ ...deps, ...inEveryCell({ hostRoutes: { pointIfUnset: open } }) }, found);
  await tell();
  expect(opened).toEqual(found.hosts);
  await set({ status: 'DELETING' });
  await tell();
  expect(opened).toEqual(found.hosts);
});
