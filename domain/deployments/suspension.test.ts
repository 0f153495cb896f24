import { expect, test } from 'vitest';
import type { BuildAccessProvider } from '../../providers/builds/access.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { addSuspension, removeSuspension } from '../apps/suspension.ts';
import { beginDeployment } from './begin.ts';
import { checkRelease } from './check.ts';
import { createDeployment } from './create.ts';
import { switchRelease } from './release.ts';
import { applyAppStatus } from './suspension.ts';

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
  };
  return {
    state,
    needs,
    providers,
    ids,
    deployments,
    app: made.app,
    deploy: async () => (await createDeployment(deps, caller, { id: of.id } as never)).data.id,
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

test('an application that is deleted while it is being suspended leaves no suspension at its host names', async () => {
  const { suspend, remove, apply, state, beforeNextWrite } = await harness();
  await suspend();
  beforeNextWrite(remove);
  await apply();
  expect(state.suspended).toBe(false);
});

test('the first release switch during a suspension leaves the address closed', async () => {
  const { deploy, suspend, needs, providers, ids, state } = await harness();
  const deploymentId = await deploy();
  const { table } = needs;
  await table.transact([change(Deployment, { accountId: ids.accountId, id: deploymentId }, { set: { release: '1' } })]);
  const switchTo = async () => {
    await suspend();
    return 'host';
  };
  await switchRelease({ ...needs, ...inEveryCell({ ...providers, appHost: { switchTo } }) }, { ...ids, deploymentId });
  expect(state.closed).toBe(true);
});
