import { expect, test } from 'vitest';
import { App } from '../../table/entities/apps.ts';
import { deletionSimulation } from '../../test/simulation/account-deletion.ts';
import { interruptAt, interruptEach } from '../../test/simulation/simulation.ts';
import { retryRequest } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { deleteApp } from './apps.ts';
import { addSuspension, removeSuspension } from './suspension.ts';

test('concurrent changes lose no suspension, and the application runs again once the last one is removed', async () => {
  const add = (cause: 'OPERATOR' | 'ACCOUNT') => (deps: Deps, accountId: string) =>
    retryRequest(() => addSuspension(deps, { accountId, id: 'app_1' }, { cause, reason: cause }));
  const remove = (deps: Deps, accountId: string) =>
    retryRequest(() => removeSuspension(deps, { accountId, id: 'app_1' }, 'PLAN'));
  const cases = [
    [add('OPERATOR'), add('ACCOUNT'), ['ACCOUNT', 'OPERATOR', 'PLAN']],
    [add('OPERATOR'), remove, ['OPERATOR']],
    [remove, add('OPERATOR'), ['OPERATOR']],
  ] as const;
  for (const [operation, interruption, expected] of cases)
    for (let step = 1, interrupted = true; interrupted; step += 1) {
      interrupted = false;
      const made = await deletionSimulation();
      const { accountId } = made;
      await addSuspension(made.deps, { accountId, id: 'app_1' }, { cause: 'PLAN', reason: 'Over the plan' });
      const interrupt = async () => {
        interrupted = true;
        await interruption(made.deps, accountId);
      };
      await operation(made.startProcess({ faults: interruptAt(step, interrupt) }).deps, accountId);
      if (!interrupted) break;
      const app = await made.deps.table.get(App, { accountId, id: 'app_1' });
      expect(Object.keys(app?.suspensions ?? {}).toSorted(), `interrupted before call ${step}`).toEqual(expected);
      expect(app?.status).toBe('SUSPENDED');
    }
});

test.each(['suspended', 'resumed'])('an application that is deleted while it is %s stays deleted', async (what) => {
  await interruptEach(async (interruption) => {
    const { deps, accountId, startProcess } = await deletionSimulation();
    const of = { accountId, id: 'app_1' };
    if (what === 'resumed') await addSuspension(deps, of, { cause: 'PLAN', reason: 'Over the plan' });
    const { deps: own } = startProcess({ faults: interruption.by(() => deleteApp(deps, { ...of, keyId: '' }, of)) });
    await retryRequest(() =>
      what === 'resumed'
        ? removeSuspension(own, of, 'PLAN')
        : addSuspension(own, of, { cause: 'PLAN', reason: 'Over the plan' }),
    );
    const expected = interruption.isReached ? 'DELETING' : what === 'resumed' ? 'RUNNING' : 'SUSPENDED';
    expect((await deps.table.get(App, of))?.status, `before call ${interruption.step}`).toBe(expected);
  });
});
