import { expect, test } from 'vitest';
import { App } from '../../table/entities/apps.ts';
import type { Change } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { interruptAt } from '../../test/simulation/simulation.ts';
import { HOSTS } from '../../test/support/git-hooks.ts';
import type { Deps } from '../deps.ts';
import { createDeployment } from './create.ts';
import { newDeployment } from './deployment.ts';
import { receivePush } from './pushes.ts';

type World = Awaited<ReturnType<typeof deploymentSimulation>>;
const sealed = { wrappedKey: '', iv: '', ciphertext: '' };

const REQUESTS: Record<string, (made: World, deps: Deps) => Promise<unknown>> = {
  'a request': ({ caller, ids }, deps) => createDeployment(deps, caller, { id: ids.applicationId }),
  'a push': ({ ids }, deps) => {
    const { headers, body } = HOSTS.GitHub('');
    const access = { ...ids, hookSecret: sealed, publicKey: '', privateKey: sealed };
    return receivePush(deps, access, { headers, body: Buffer.from(body) });
  },
};
const IDLE: Partial<App> = {};
const MOVING: Partial<App> = { movingTo: 'b' };
const CHANGES: [string, Partial<App>, (other: string) => Change][] = [
  ['another deployment begins', IDLE, (activeDeploymentId) => ({ set: { activeDeploymentId } })],
  ['a move begins', IDLE, () => ({ set: MOVING })],
  ['the application is suspended', IDLE, () => ({ set: { status: 'SUSPENDED' } })],
  ['the move ends', MOVING, () => ({ remove: ['movingTo'] })],
  ['another deployment waits for the move', MOVING, (nextDeploymentId) => ({ set: { nextDeploymentId } })],
  ['the application is suspended during a move', MOVING, () => ({ set: { status: 'SUSPENDED' } })],
];

test.each(
  Object.entries(REQUESTS).flatMap(([name, request]) => CHANGES.map((row) => [name, ...row, request] as const)),
)('%s has the slot or the next one, or is refused, while %s', async (_, _what, before, meanwhile, request) => {
  for (let step = 1, isReached = true; isReached; step += 1) {
    isReached = false;
    const made = await deploymentSimulation(before);
    const { accountId, applicationId: id } = made.ids;
    const other = newDeployment(made.deps, made.ids, 'API', { waiting: true });
    await made.deps.table.transact([other.write]);
    const faults = interruptAt(step, async () => {
      isReached = true;
      await made.deps.table.write(App, change(App, { accountId, id }, meanwhile(other.id)));
    });
    await request(made, made.startProcess({ faults }).deps).catch((error: unknown) =>
      expect(error).toMatchObject({ code: 'conflict' }),
    );
    // Neither takes the place of another, nor ends a move or a suspension.
    if (isReached) expect(await made.app(), `before request ${step}`).toMatchObject(meanwhile(other.id).set ?? {});
    const { activeDeploymentId: active, nextDeploymentId: next, movingTo, status } = (await made.app()) ?? {};
    for (const { id: created, waiting } of made.deployments().filter(({ id }) => id !== other.id)) {
      if (isReached) expect(status, 'none begins in a suspended application').toBe('RUNNING');
      // It waits exactly as long as something will promote it.
      const isBusy = movingTo !== undefined || active === other.id;
      expect([created, waiting], `before request ${step}`).toEqual(isBusy ? [next, true] : [active, undefined]);
    }
  }
});
