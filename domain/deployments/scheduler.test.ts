import { expect, test } from 'vitest';
import { Account } from '../../table/entities/accounts.ts';
import { BuildQueue, Deployment, NextBuild } from '../../table/entities/deployments.ts';
import { change, remove } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { interruptAt, simulation } from '../../test/simulation/simulation.ts';
import { cancelDeployment } from '../operator/actions.ts';
import { sweep } from '../sweep/sweep.ts';
import { buildQueuePosition, clearNextBuild, enqueueBuild, readBuildQueue } from './build-queue.ts';
import { newDeployment } from './deployment.ts';
import { cancelRunning } from './executions.ts';
import { failDeployment, succeedDeployment } from './finish.ts';
import { admitAfter, admitBuild, buildQueue } from './scheduler.ts';

/** A build service with some builders: what is submitted gets the next free one, first come, first served. */
async function world(builders: number, accounts: Record<string, Partial<Account>>) {
  const { memory, clock, steady, startProcess } = simulation();
  const { deps } = steady;
  await deps.table.transact(Object.entries(accounts).map(([id, fields]) => newSimulatedAccount(id, fields)));
  const submitted: string[] = [];
  const building = new Set<string>();
  const started: string[] = [];
  const read = (id: string) =>
    memory
      .items('DEPLOYMENT')
      .map((item) => Deployment.parse(item))
      .find((each) => each.id === id);
  const deployment = (id: string) => {
    const found = read(id);
    if (!found) throw new Error(`${id} does not exist`);
    return found;
  };
  /** Submits what is admitted, and starts it if there is a builder. */
  const settle = async () => {
    for (;;) {
      const next = await deps.table.get(NextBuild, {});
      if (next && !submitted.includes(next.deploymentId)) submitted.push(next.deploymentId);
      const waiting = submitted.find((id) => !started.includes(id));
      if (!waiting || building.size >= builders) return;
      started.push(waiting);
      building.add(waiting);
      await clearNextBuild(deps, waiting);
      await admitBuild(deps);
    }
  };
  return {
    deps,
    clock,
    startProcess,
    started,
    submitted,
    settle,
    deployment,
    place: async (id: string) =>
      buildQueuePosition(deployment(id), await readBuildQueue(deps, deployment(id).accountId)),
    /** Asks for a deployment, as a request does; the stream tells of it unless that is lost. */
    async deploy(accountId: string, isAdmitted = true): Promise<string> {
      clock.now += 10;
      const of = { accountId, applicationId: `app_${accountId}` };
      const made = newDeployment(deps, of, 'API');
      await deps.table.transact([made.write, ...enqueueBuild(deps, { ...of, id: made.id })]);
      if (isAdmitted) await admitBuild(deps, accountId);
      await settle();
      return made.id;
    },
    async finish(id: string, end: typeof succeedDeployment = succeedDeployment): Promise<void> {
      const { accountId, applicationId } = deployment(id);
      clock.now += 60_000;
      building.delete(id);
      await end(deps, { accountId, applicationId, deploymentId: id });
      await admitAfter(deps, deployment(id));
      await settle();
    },
    async reconcile(afterMs = 61_000) {
      clock.now += afterMs;
      const report = await sweep(deps, buildQueue);
      await settle();
      return report;
    },
  };
}

const MANY = { limits: { concurrentBuilds: 100 } };

test("a burst of one account delays another account's deployment by at most one build", async () => {
  const { deploy, finish, started } = await world(3, { busy: MANY, other: {} });
  for (let count = 0; count < 40; count += 1) await deploy('busy');
  const asked = started.length;
  const id = await deploy('other');
  for (const first of [...started]) {
    if (!started.includes(id)) await finish(first);
  }
  expect(started.indexOf(id) - asked).toBeLessThanOrEqual(1);
});

test('accounts take turns, and the deployments of each start in the order of their arrival', async () => {
  const { deploy, finish, started, deployment } = await world(1, { a: MANY, b: MANY, c: MANY });
  const asked: string[] = [];
  for (const account of ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c']) asked.push(await deploy(account));
  for (let at = 0; at < asked.length; at += 1) await finish(started[at] ?? '');
  expect(started).toHaveLength(asked.length);
  const accounts = started.map((id) => deployment(id).accountId);
  // The first two had been handed over before the others came, so that the line of `a` is the first to be empty.
  for (const [from, to] of [
    [2, 5],
    [5, 7],
    [7, 9],
  ]) {
    const turn = accounts.slice(from, to);
    expect(new Set(turn).size, accounts.join(' ')).toBe(turn.length);
  }
  for (const account of ['a', 'b', 'c']) {
    const own = started.filter((id) => deployment(id).accountId === account);
    expect(own).toEqual([...own].sort());
  }
});

test('an account runs as many deployments at once as its limit says, and the others show their position', async () => {
  const { deploy, finish, place, submitted } = await world(10, { a: { limits: { concurrentBuilds: 2 } } });
  const [first = '', second = '', third = '', fourth = ''] = [
    await deploy('a'),
    await deploy('a'),
    await deploy('a'),
    await deploy('a'),
  ];
  expect(submitted).toEqual([first, second]);
  expect(await place(second)).toBeNull();
  const reason = 'Waiting for another deployment: your plan runs 2 at once';
  expect(await place(third)).toEqual({ position: 1, reason });
  expect(await place(fourth)).toEqual({ position: 2, reason });
  await finish(first, (...given) => failDeployment(...given, 'because'));
  expect(submitted).toEqual([first, second, third]);
  expect(await place(fourth)).toEqual({ position: 1, reason });
  await finish(third);
  await finish(second);
  expect(submitted).toEqual([first, second, third, fourth]);
});

test('a deployment that was stopped while it waited, or whose application is gone, does not hold up the others', async () => {
  const { deploy, finish, deps, deployment, submitted } = await world(1, { a: MANY });
  const [first = '', next = '', stopped = '', gone = '', last = ''] = [
    await deploy('a'),
    await deploy('a'),
    await deploy('a'),
    await deploy('a'),
    await deploy('a'),
  ];
  const { accountId, applicationId } = deployment(stopped);
  await failDeployment(deps, { accountId, applicationId, deploymentId: stopped }, 'The application was suspended.');
  await deps.table.transact([remove(Deployment, { accountId, id: gone })]);
  await finish(first);
  await finish(next);
  expect(submitted).toEqual([first, next, last]);
});

test('a deployment that was stopped while it waited no longer counts in the positions of the others', async () => {
  const { deploy, deps, deployment, place } = await world(1, { a: MANY });
  await deploy('a');
  await deploy('a');
  const [stopped, last] = [await deploy('a'), await deploy('a')];
  expect(await place(last)).toMatchObject({ position: 2 });
  const { accountId, applicationId } = deployment(stopped);
  await failDeployment(deps, { accountId, applicationId, deploymentId: stopped }, 'The application was suspended.');
  for (const _ of ['the record of the stream', 'its repetition']) await admitAfter(deps, deployment(stopped));
  expect(await place(last)).toMatchObject({ position: 1 });
});

test('an operator cancels a queued deployment, and the next one is admitted', async () => {
  const { deploy, finish, deps, deployment, submitted } = await world(1, { a: MANY });
  const [first = '', next = '', waiting = '', last = ''] = [
    await deploy('a'),
    await deploy('a'),
    await deploy('a'),
    await deploy('a'),
  ];
  const about = { id: 'a', deploymentId: waiting, reason: 'Case 4711.' };
  await cancelDeployment(deps, { accountId: '', keyId: '' }, about);
  const stopped: string[] = [];
  const deployments = {
    start: async () => {},
    status: async () => 'MISSING' as const,
    stop: async (name: string) => void stopped.push(name),
  };
  await cancelRunning({ ...deps, deployments }, deployment(waiting));
  expect(stopped).toEqual([waiting]);
  const notes = [expect.stringContaining('Cancelled by the platform: Case 4711.')];
  expect(deployment(waiting)).toMatchObject({ status: 'FAILED', notes });
  await expect(cancelDeployment(deps, { accountId: '', keyId: '' }, about)).rejects.toThrow('not in progress');
  await finish(first);
  await finish(next);
  expect(submitted).toEqual([first, next, last]);
});

test('a queued deployment fails with the reason once the minutes of the month are used up', async () => {
  const { deps, deploy, finish, deployment, submitted } = await world(1, {
    a: { limits: { buildMinutesPerMonth: 1 } },
  });
  const [first = '', second = '', third = ''] = [await deploy('a'), await deploy('a'), await deploy('a')];
  const used = { buildMonth: '2026-01', buildMinutes: 1 };
  await deps.table.transact([change(Account, { id: 'a' }, { set: used })]);
  await finish(first);
  expect(submitted).toEqual([first, second]);
  expect(deployment(third)).toMatchObject({
    status: 'FAILED',
    notes: [expect.stringContaining('limit for build minutes in a calendar month (UTC) is reached: 1 ')],
  });
});

test('a build whose stream record was lost is admitted within two minutes', async () => {
  const { deploy, reconcile, submitted } = await world(1, { a: {} });
  const id = await deploy('a', false);
  expect(submitted).toEqual([]);
  await reconcile();
  expect(submitted).toEqual([id]);
});

test('the build that has waited longest in a queue is reported, unless its account is at its limit', async () => {
  const { deploy, reconcile } = await world(1, { a: MANY, b: MANY, c: { limits: { concurrentBuilds: 1 } } });
  await deploy('c');
  await deploy('a');
  const waiting = await deploy('b');
  for (const account of ['b', 'a', 'c']) await deploy(account);
  const { results, oldestMs } = await reconcile(20 * 60_000);
  expect(results.find(({ accountId }) => accountId === 'b')).toEqual({
    accountId: 'b',
    deploymentId: waiting,
    waitedMs: 20 * 60_000 + 30,
  });
  expect(results.map(({ accountId }) => accountId).sort()).toEqual(['a', 'b']);
  // Waiting for a turn is not being late: that alarm is about the platform's own work.
  expect(oldestMs).toBe(0);
});

test.each([
  ['', 0],
  [', also of a clock that was a year ahead', 365 * 86_400_000],
])('a deployment that vanishes in front of the builders makes room within two minutes%s', async (_, aheadMs) => {
  const { clock, deploy, deps, reconcile, finish, submitted, deployment } = await world(1, { a: MANY, b: MANY });
  const [running = '', vanished = '', other = ''] = [await deploy('a'), await deploy('a'), await deploy('b')];
  expect(submitted).toEqual([running, vanished]);
  const { accountId } = deployment(vanished);
  await deps.table.transact([remove(Deployment, { accountId, id: vanished })]);
  submitted.splice(submitted.indexOf(vanished), 1);
  if (aheadMs > 0) {
    const since = new Date(clock.now + aheadMs).toISOString();
    await deps.table.transact([change(NextBuild, {}, { set: { since } })]);
  }
  await reconcile();
  await reconcile();
  await finish(running);
  expect(submitted).toEqual([running, other]);
});

test('a deployment that is admitted while it ends no longer counts as running', async () => {
  for (let step = 1, isAdmitted = true; isAdmitted; step += 1) {
    isAdmitted = false;
    const { deps, deploy, startProcess } = await world(1, { a: {} });
    const deploymentId = await deploy('a', false);
    const faults = interruptAt(step, async () => {
      isAdmitted = true;
      await admitBuild(deps, 'a');
    });
    const ids = { accountId: 'a', applicationId: 'app_a', deploymentId };
    await failDeployment(startProcess({ faults }).deps, ids, 'It was stopped.');
    const { buildCount = 0 } = (await deps.table.get(Account, { id: 'a' })) ?? {};
    expect(buildCount, `admitted before request ${step}`).toBe(0);
  }
});

test('a build that joins a queue while the queue is found empty stays due', async () => {
  for (let step = 1, isJoined = true; isJoined; step += 1) {
    isJoined = false;
    const { clock, deps, deploy, reconcile, startProcess, submitted } = await world(0, { a: MANY });
    await clearNextBuild(deps, await deploy('a'));
    const { now } = clock;
    let joined: string | undefined;
    const faults = interruptAt(step, async () => {
      isJoined = true;
      // In the same millisecond.
      clock.now = now - 10;
      joined = await deploy('a', false);
    });
    await admitBuild(startProcess({ faults }).deps, 'a');
    await reconcile();
    if (joined !== undefined) expect(submitted, `before request ${step}`).toContain(joined);
  }
});

test('a build that was stopped while it waited leaves the queue once', async () => {
  const { deps, deploy, deployment } = await world(1, { a: {} });
  const id = await deploy('a', false);
  await failDeployment(deps, { accountId: 'a', applicationId: 'app_a', deploymentId: id }, 'It was stopped.');
  for (let repeated = 0; repeated < 2; repeated += 1) await admitAfter(deps, deployment(id));
  expect(await deps.table.get(BuildQueue, { accountId: 'a' })).toMatchObject({ waiting: 0 });
});
