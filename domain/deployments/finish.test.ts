import { expect, test } from 'vitest';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { interruptAt } from '../../test/simulation/simulation.ts';
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
