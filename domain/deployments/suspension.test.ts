import { expect, test } from 'vitest';
import type { BuildAccessProvider } from '../../providers/builds/access.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import type { DatabasePasswords } from '../../providers/databases/passwords.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { type FaultPlan, interruptAt } from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { addSuspension, removeSuspension } from '../apps/suspension.ts';
import { cancelDeployment } from '../operator/actions.ts';
import { beginDeployment } from './begin.ts';
import { checkRelease } from './check.ts';
import { createDeployment } from './create.ts';
import { cancelRunning } from './executions.ts';
import { succeedDeployment } from './finish.ts';
import { switchRelease } from './release.ts';
import { applyAppStatus } from './suspension.ts';
import { withVerdict } from './verdict.ts';

/** An application whose edge, function address and executions only record what is asked of them. */
async function harness() {
  const made = await deploymentSimulation();
  const { deps, ids, caller, deployments } = made;
  const of = { accountId: ids.accountId, id: ids.applicationId };
  const state = { suspended: false, closed: false, stopped: [] as string[] };
  const record = async (set: Partial<typeof state>) => void Object.assign(state, set);
  /** Runs before the next write to the edge is done. */
  let meanwhile: (() => Promise<unknown>) | undefined;
  const write = async (set: Partial<typeof state>) => {
    const act = meanwhile;
    meanwhile = undefined;
    await act?.();
    await record(set);
  };
  const nothing = async () => undefined;
  const providers = {
    hostRoutes: {
      point: nothing,
      pointIfUnset: nothing,
      remove: nothing,
      suspend: () => write({ suspended: true }),
      resume: () => write({ suspended: false }),
    },
    appAccess: { close: () => record({ closed: true }), open: () => record({ closed: false }) },
    appLogs: { tail: async () => [] },
    appHost: { probe: async () => ({ status: 200 }), switchTo: async () => 'host' },
  };
  const needs = {
    ...deps,
    ...inEveryCell(providers),
    deployments: {
      start: nothing,
      status: async () => 'RUNNING' as const,
      stop: async (name: string) => void state.stopped.push(name),
    },
    // No step gets as far as using these.
    builds: {} as Builds,
    buildAccess: {} as BuildAccessProvider,
    secrets: {} as Secrets,
    databasePasswords: {} as DatabasePasswords,
  };
  return {
    state,
    needs,
    providers,
    ids,
    deployments,
    of,
    startProcess: made.startProcess,
    succeed: made.succeed,
    fail: made.fail,
    app: made.app,
    deploy: async () => (await createDeployment(deps, caller, { id: of.id } as never)).data.id,
    /** Gives a deployment a release that is about to receive traffic. */
    start: (id: string) =>
      deps.table.transact([
        change(Deployment, { accountId: ids.accountId, id }, { set: { release: '1', status: 'RUNNING' } }),
      ]),
    suspend: () => addSuspension(deps, of, { cause: 'OPERATOR', reason: 'Phishing.' }),
    lift: () => removeSuspension(deps, of, 'OPERATOR'),
    remove: () => made.set({ status: 'DELETING' }),
    apply: () => applyAppStatus(needs, of),
    beforeNextWrite: (act: () => Promise<unknown>) => {
      meanwhile = act;
    },
  };
}

test('a suspension ends the deployment under way with its reason, and resuming deploys nothing', async () => {
  const { deploy, suspend, lift, apply, state, app, deployments } = await harness();
  const id = await deploy();
  await suspend();
  await apply();
  await apply();
  expect(state).toEqual({ suspended: true, closed: true, stopped: [id] });
  expect(deployments()).toMatchObject([{ id, status: 'FAILED' }]);
  expect(deployments()[0]?.notes.join()).toContain('The application was suspended: Phishing.');
  await lift();
  await apply();
  expect(state).toEqual({ suspended: false, closed: false, stopped: [id] });
  expect(await app()).not.toHaveProperty('activeDeploymentId');
});

test('a deployment whose execution could not be stopped goes no further', async () => {
  const { deploy, suspend, needs, ids } = await harness();
  const of = { ...ids, deploymentId: await deploy() };
  await suspend();
  const expected = { name: 'DeploymentError', message: 'The application was suspended.' };
  for (const step of [beginDeployment, checkRelease, switchRelease])
    await expect(step(needs, of)).rejects.toMatchObject(expected);
});

test('the latest change wins if an application is suspended and resumed concurrently', async () => {
  const { suspend, lift, apply, state, beforeNextWrite } = await harness();
  await suspend();
  beforeNextWrite(lift);
  await apply();
  expect(state).toMatchObject({ suspended: false, closed: false });
  beforeNextWrite(suspend);
  await apply();
  expect(state).toMatchObject({ suspended: true, closed: true });
});

test('the first release switch during a suspension leaves the address closed', async () => {
  const { deploy, start, suspend, needs, providers, ids, state } = await harness();
  const deploymentId = await deploy();
  await start(deploymentId);
  const switchTo = async () => {
    await suspend();
    return 'host';
  };
  await switchRelease({ ...needs, ...inEveryCell({ ...providers, appHost: { switchTo } }) }, { ...ids, deploymentId });
  expect(state.closed).toBe(true);
});

type Harness = Awaited<ReturnType<typeof harness>>;
type Process = ReturnType<Harness['startProcess']>;

const STOPS: Record<string, (made: Harness, by: Process['deps'], deploymentId: string) => Promise<unknown>> = {
  async cancelled({ needs, ids: { accountId: id }, deployments }, deps, deploymentId) {
    await cancelDeployment(deps, { accountId: '', keyId: '' }, { id, deploymentId, reason: 'Case 1.' });
    for (const each of deployments()) await cancelRunning({ ...needs, ...deps }, each);
  },
  async suspended({ needs, of }, deps) {
    await addSuspension(deps, of, { cause: 'OPERATOR', reason: 'Phishing.' });
    await applyAppStatus({ ...needs, ...deps }, of);
  },
};
const DIRECTIONS = ['while it switches', 'and switches meanwhile'];

test.each(Object.entries(STOPS).flatMap(([name, stop]) => DIRECTIONS.map((when) => [name, when, stop] as const)))(
  'a deployment that is %s %s has failed and serves nothing, or has succeeded and serves',
  async (_, when, stop) => {
    const ends = new Set<unknown>();
    for (let step = 1, isReached = true; isReached; step += 1) {
      isReached = false;
      const made = await harness();
      const { deploy, start, providers, ids, state, deployments, startProcess } = made;
      const of = { ...ids, deploymentId: await deploy() };
      await start(of.deploymentId);
      let serving: string | undefined;
      let failed = false;
      const switchTo = async (_app: string, release: string) => {
        serving = release;
        return 'host';
      };
      /** Switches twice, as after a lost response. */
      const go = async ({ deps, port }: Process) => {
        const host = inEveryCell({ ...providers, appHost: port('host', { switchTo }) });
        for (let run = 1; run <= 2 && !failed; run += 1)
          ({ failed } = await withVerdict(switchRelease, { ...deps, ...host }, of));
      };
      const stopIt = ({ deps }: Process) =>
        stop(made, deps, of.deploymentId).catch((error: unknown) => expect(error).toMatchObject({ code: 'conflict' }));
      const [operation, other] = when === DIRECTIONS[0] ? [go, stopIt] : [stopIt, go];
      const faults = interruptAt(step, async () => {
        isReached = true;
        await other(startProcess());
      });
      await operation(startProcess({ faults }));
      // What has stopped the execution has also ended the deployment; a failed step ends it, and any other leads on.
      if (state.stopped.length === 0) await (failed ? made.fail : made.succeed)(of.deploymentId);
      const [{ status } = {}] = deployments();
      expect([status, serving], `before request ${step}`).toEqual(serving ? ['SUCCEEDED', '1'] : ['FAILED', undefined]);
      ends.add(status);
    }
    expect(ends.size).toBe(2);
  },
);

test('a switch that is repeated after the deployment has ended does not bring its release back', async () => {
  const { deploy, start, needs, providers, ids } = await harness();
  const of = { ...ids, deploymentId: await deploy() };
  await start(of.deploymentId);
  await switchRelease({ ...needs, ...inEveryCell(providers) }, of);
  await succeedDeployment(needs, of);
  const appHost = { switchTo: () => expect.fail('switches again') };
  const late = { ...needs, ...inEveryCell({ ...providers, appHost }) };
  expect(await withVerdict(switchRelease, late, of)).toEqual({
    failed: true,
    reason: 'The deployment has already ended.',
  });
});

test('a cancelled deployment goes no further, with its reason, although its execution is not stopped yet', async () => {
  const { deploy, start, needs, providers, ids } = await harness();
  const { accountId: id } = ids;
  const of = { ...ids, deploymentId: await deploy() };
  await start(of.deploymentId);
  await cancelDeployment(needs, { accountId: '', keyId: '' }, { id, deploymentId: of.deploymentId, reason: 'Case 1.' });
  const verdict = await withVerdict(switchRelease, { ...needs, ...inEveryCell(providers) }, of);
  expect(verdict).toEqual({ failed: true, reason: 'Cancelled by the platform: Case 1.' });
});

test('an application that is suspended just before its release would receive traffic serves none', async () => {
  const { deploy, start, suspend, needs, providers, ids, startProcess } = await harness();
  const of = { ...ids, deploymentId: await deploy() };
  await start(of.deploymentId);
  const faults: FaultPlan = async ({ when, what }) => {
    if (when === 'before' && what === 'table.TransactWriteItems') await suspend();
    return undefined;
  };
  const appHost = { switchTo: () => expect.fail('switches') };
  const switching = { ...needs, ...startProcess({ faults }).deps, ...inEveryCell({ ...providers, appHost }) };
  expect(await withVerdict(switchRelease, switching, of)).toEqual({
    failed: true,
    reason: 'The application was suspended.',
  });
});

test('the deployment of an application that is deleted during the switch has failed', async () => {
  const { deploy, start, remove, needs, providers, ids } = await harness();
  const of = { ...ids, deploymentId: await deploy() };
  await start(of.deploymentId);
  const appHost = { ...providers.appHost, switchTo: () => remove().then(() => 'host') };
  const switching = { ...needs, ...inEveryCell({ ...providers, appHost }) };
  expect(await withVerdict(switchRelease, switching, of)).toEqual({
    failed: true,
    reason: 'The application was deleted.',
  });
});
