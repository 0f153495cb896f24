import { expect, test } from 'vitest';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change, create } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { interruptAt, interruptEach } from '../../test/simulation/simulation.ts';
import { createDeployment } from './create.ts';
import { failDeployment } from './finish.ts';

const BEGAN = { status: 'RUNNING', beganAt: '2025-12-31T23:50:00.000Z' } as const;

test.each<[string, Partial<Deployment>, Partial<Deployment>, number]>([
  ['begins', {}, BEGAN, 10],
  ['is built', BEGAN, { builtAt: '2026-01-01T00:00:00.000Z', buildMs: 60_000 }, 1],
])('a deployment that %s while it ends counts the minutes of its build', async (_, before, meanwhile, minutes) => {
  for (let step = 1, isReached = true; isReached; step += 1) {
    isReached = false;
    const { account, caller, deps, ids, startProcess } = await deploymentSimulation();
    const { id: deploymentId } = (await createDeployment(deps, caller, { id: ids.applicationId })).data;
    const set = (fields: Partial<Deployment>) =>
      deps.table.transact([
        change(Deployment, { accountId: ids.accountId, id: deploymentId }, { set: { commitSha: '', ...fields } }),
      ]);
    await set(before);
    const faults = interruptAt(step, async () => {
      isReached = true;
      await set(meanwhile);
    });
    await failDeployment(startProcess({ faults }).deps, { ...ids, deploymentId }, 'It was stopped.');
    if (isReached) expect(await account(), `before request ${step}`).toMatchObject({ buildMinutes: minutes });
  }
});

test('deployments of two applications that end together count the minutes of both builds', async () => {
  await interruptEach(async (interruption) => {
    const { account, app, caller, deps, ids, startProcess } = await deploymentSimulation();
    const first = await app();
    if (!first) throw new Error('no application');
    await deps.table.transact([create(App, { ...first, id: 'app_2', slug: 'two', hosts: ['two'] })]);
    const deploy = async (applicationId: string) => {
      const { id: deploymentId } = (await createDeployment(deps, caller, { id: applicationId })).data;
      const key = { accountId: ids.accountId, id: deploymentId };
      await deps.table.transact([change(Deployment, key, { set: BEGAN })]);
      return { ...ids, applicationId, deploymentId };
    };
    const [one, two] = [await deploy(ids.applicationId), await deploy('app_2')];
    const faults = interruption.by(() => failDeployment(deps, two, 'It was stopped.'));
    await failDeployment(startProcess({ faults }).deps, one, 'It was stopped.');
    if (!interruption.isReached) await failDeployment(deps, two, 'It was stopped.');
    expect(await account(), `before request ${interruption.step}`).toMatchObject({ buildMinutes: 20 });
  });
});
