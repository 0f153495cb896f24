import { expect, test } from 'vitest';
import type { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { type FaultPlan, interruptAt } from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { auditIn } from '../../test/support/memory-table.ts';
import { createDeployment } from './create.ts';
import { MAX_KEPT_RELEASES, pruneReleases, rollBack } from './rollback.ts';

type Asked = Parameters<typeof rollBack>[2];

/** Sets up consecutive deployments on a host that only records its releases. */
async function world() {
  const made = await deploymentSimulation();
  const { deps, caller, ids } = made;
  const releases = new Set<string>();
  const artifacts = new Set<string>();
  let serving = '';
  let count = 0;
  const host = {
    ...inEveryCell({
      appHost: {
        removeRelease: async (_: string, release: string) => {
          if (release === serving) return false;
          releases.delete(release);
          return true;
        },
      },
    }),
    builds: { removeArtifact: async (_: string, id: string) => void artifacts.delete(id) },
  };
  const end = async (id: string, good: boolean, isPruned = true) => {
    const release = made.deployments().find((each) => each.id === id)?.release;
    if (good && release) serving = release;
    await (good ? made.succeed(id) : made.fail(id));
    if (isPruned) await pruneReleases({ ...deps, ...host }, { ...ids, deploymentId: id });
    return id;
  };
  const deploy = async (good = true, isPruned = true) => {
    const asked = { id: ids.applicationId } as Parameters<typeof createDeployment>[2];
    const { id } = (await createDeployment(deps, caller, asked)).data;
    const release = String(++count);
    releases.add(release);
    artifacts.add(id);
    const write = change(Deployment, { accountId: ids.accountId, id }, { set: { release, commitSha: `c${count}` } });
    await deps.table.write(Deployment, write);
    return await end(id, good, isPruned);
  };
  const rollBackTo = (deploymentId: string, id = ids.applicationId) =>
    rollBack(deps, caller, { id, deploymentId } as Asked);
  return { ...made, host, releases, artifacts, deploy, end, rollBackTo };
}

test('a rollback is a deployment of its own, with the release and the commit that it restores', async () => {
  const { deploy, rollBackTo, end, deployments, app, memory } = await world();
  const [first] = [await deploy(), await deploy()];
  const { data } = await rollBackTo(first);
  expect(auditIn(memory).at(-1)).toBe('deployment.rolled-back');
  expect(data).toMatchObject({ status: 'QUEUED', trigger: 'ROLLBACK', commitSha: 'c1' });
  expect((await app())?.activeDeploymentId).toBe(data.id);
  await end(data.id, true);
  const made = deployments().find(({ id }) => id === data.id);
  expect(made).toMatchObject({ release: '1', status: 'SUCCEEDED' });
  expect(made?.notes[0]).toBe(`==> Rolling back to the release of ${first} (c1)`);
});

test('keeps the last three releases and none that were never live', async () => {
  const { deploy, rollBackTo, releases, artifacts, end } = await world();
  const made: string[] = [];
  for (let index = 0; index < 14; index += 1) {
    made.push(await deploy());
    await deploy(false);
  }
  const expected = Array.from({ length: MAX_KEPT_RELEASES }, (_, index) => String(2 * (14 - index) - 1));
  expect([...releases].sort()).toEqual(expected.sort());
  expect(artifacts).toEqual(new Set(made.slice(-MAX_KEPT_RELEASES)));
  await expect(rollBackTo(made[10] ?? '')).rejects.toMatchObject({ code: 'conflict' });
  await end((await rollBackTo(made[11] ?? '')).data.id, true);
  expect(releases.size, 'going back makes no release, so none has to go').toBe(MAX_KEPT_RELEASES);
  expect(releases).toContain('23');
});

test('rejects a rollback during a deployment, to a failed deployment, and to a missing release', async () => {
  const { deploy, rollBackTo, deps, caller, ids } = await world();
  const [good, bad] = [await deploy(), await deploy(false)];
  await expect(rollBackTo(bad)).rejects.toMatchObject({ code: 'conflict' });
  await expect(rollBackTo('dep_none')).rejects.toMatchObject({ code: 'not_found' });
  await expect(rollBackTo(good, 'app_other')).rejects.toMatchObject({ code: 'not_found' });
  const of = { id: ids.applicationId } as Parameters<typeof createDeployment>[2];
  const { data: running } = await createDeployment(deps, caller, of);
  for (const target of [good, running.id])
    await expect(rollBackTo(target)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('already'),
    });
});

test('keeps the release that a rollback in progress restores', async () => {
  const { deploy, rollBackTo, deps, ids, releases } = await world();
  const first = await deploy();
  const host = {
    ...inEveryCell({ appHost: { removeRelease: async () => true } }),
    builds: { removeArtifact: async () => undefined },
  };
  for (let index = 1; index < MAX_KEPT_RELEASES; index += 1) await deploy();
  const last = await deploy(false);
  await rollBackTo(first);
  await pruneReleases({ ...deps, ...host }, { ...ids, deploymentId: last });
  expect(releases).toContain('1');
  const kept = await deps.table.get(Deployment, { accountId: ids.accountId, id: first });
  expect(kept).toMatchObject({ release: '1' });
  expect(kept).not.toHaveProperty('retired');
});

test.each<[string, Partial<App>, Partial<Deployment>]>([
  ['a deployment began', { activeDeploymentId: 'dep_other' }, {}],
  ['a move began', { movingTo: 'b' }, {}],
  ['a move ended', { cellId: 'b' }, {}],
  ['a move gave it another number', {}, { release: '9' }],
])('a release is not removed if %s since it was read', async (_, app, deployment) => {
  const { deploy, deps, host, ids, releases, set, startProcess } = await world();
  await deploy();
  const deploymentId = await deploy(false, false);
  const faults: FaultPlan = async ({ when, what }) => {
    if (when === 'after' || what !== 'table.TransactWriteItems') return undefined;
    await set({ updatedAt: 'now', ...app });
    const key = { accountId: ids.accountId, id: deploymentId };
    await deps.table.write(Deployment, change(Deployment, key, { set: { commitSha: 'c', ...deployment } }));
    return undefined;
  };
  await pruneReleases({ ...startProcess({ faults }).deps, ...host }, { ...ids, deploymentId });
  expect([...releases]).toEqual(['1', '2']);
  expect(await deps.table.get(Deployment, { accountId: ids.accountId, id: deploymentId })).not.toHaveProperty(
    'retired',
  );
});

test.each<[string, Partial<Deployment>]>([
  ['withdrawn', { retired: true }],
  ['renumbered', { release: '9' }],
])(
  'a rollback to a release that is %s meanwhile restores what the target names then, or is refused',
  async (_, set) => {
    const releases: unknown[] = [];
    for (let step = 1, isReached = true; isReached; step += 1) {
      isReached = false;
      const { caller, deploy, deployments, deps, ids, startProcess } = await world();
      const key = { accountId: ids.accountId, id: await deploy() };
      const faults = interruptAt(step, async () => {
        isReached = true;
        await deps.table.write(Deployment, change(Deployment, key, { set }));
      });
      const asked = { id: ids.applicationId, deploymentId: key.id } as Asked;
      const { error } = await rollBack(startProcess({ faults }).deps, caller, asked).then(
        () => ({ error: undefined }),
        (error: unknown) => ({ error }),
      );
      if (error) expect(error).toMatchObject({ code: 'conflict' });
      const made = deployments().find(({ trigger }) => trigger === 'ROLLBACK');
      expect(made === undefined).toBe(error !== undefined);
      if (isReached) releases.push(made?.release);
    }
    expect(new Set(releases)).toEqual(new Set([undefined, ...('release' in set ? ['9'] : [])]));
  },
);

test('a rollback while its release is removed keeps the release, or is refused, if other rollbacks restored the same', async () => {
  for (let step = 1, isReached = true; isReached; step += 1) {
    isReached = false;
    const { deploy, end, host, ids, releases, rollBackTo, startProcess } = await world();
    const first = await deploy();
    await deploy();
    await end((await rollBackTo(first)).data.id, true);
    await deploy();
    await deploy();
    const deploymentId = await deploy(true, false);
    let isAccepted = false;
    const faults = interruptAt(step, async () => {
      isReached = true;
      isAccepted = await rollBackTo(first).then(
        () => true,
        () => false,
      );
    });
    await pruneReleases({ ...startProcess({ faults }).deps, ...host }, { ...ids, deploymentId });
    expect(releases.has('1'), `before request ${step}`).toBe(isAccepted);
  }
});
