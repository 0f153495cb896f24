import { expect, test } from 'vitest';
import { App, Host } from '../../table/entities/apps.ts';
import { remove } from '../../table/writes.ts';
import { type MoveOptions, moveSimulation, SECRET } from '../../test/simulation/moves.ts';
import { crashesAt, type FaultPlan } from '../../test/simulation/simulation.ts';
import { createDeployment } from '../deployments/create.ts';
import { rollBack } from '../deployments/rollback.ts';

const CALLER = { accountId: 'acc_1', keyId: 'key' };
const asked = (id: string) => ({ id }) as Parameters<typeof createDeployment>[2];

/** Moves an application, and returns what is true once the move is over. */
async function moved(options: MoveOptions = {}, faults?: FaultPlan) {
  const made = await moveSimulation(options);
  await made.request('b');
  await made.finish(faults);
  return made;
}

/** Checks the end of a move that has succeeded, whatever happened on the way. */
async function expectMoved(made: Awaited<ReturnType<typeof moved>>) {
  expect(made.move()).toMatchObject({ status: 'DONE', from: 'home', to: 'b' });
  expect(await made.served()).toEqual({ cellId: 'b', code: '2', variables: SECRET });
  expect(await made.app()).toMatchObject({ cellId: 'b', edgeCellId: 'home' });
  for (const name of ['moveId', 'movingTo', 'drainingFrom']) expect(await made.app()).not.toHaveProperty(name);
  expect([...made.functions.keys(), ...made.logs]).toEqual(['b', 'b']);
  // The releases that can be rolled back to have their code in the new cell, under the numbers that the deployments name.
  const versions = made.functions.get('b')?.versions;
  const codes = made.deployments().map(({ release = '' }) => versions?.get(release)?.code);
  expect(codes.map((code) => code?.includes('server.js'))).toEqual([true, true]);
  expect(new Set(made.deployments().map(({ release }) => release)).size).toBe(2);
  expect(made.functions.get('b')).toMatchObject({ live: made.deployments()[1]?.release, isOpen: true });
}

test('the host names stay at their edge, every kept release is in the new cell, and the old cell is empty', async () => {
  const made = await moved();
  await expectMoved(made);
  const entries = made.memory.items('AUDIT').map(({ action, before, after }) => ({ action, before, after }));
  const sides = { before: { cell: 'home' }, after: { cell: 'b' } };
  expect(entries).toEqual([
    { action: 'app.move-requested', ...sides },
    { action: 'app.moved', ...sides },
  ]);
  // Visitors are sent over before anything is removed, and the last requests have their time.
  expect(made.history).toEqual(['route to b.lambda-url 2-dep_2', 'removed from home']);
  const { switchedAt = '', finishedAt } = made.move();
  expect(Date.parse(finishedAt ?? '') - Date.parse(switchedAt)).toBeGreaterThanOrEqual(90_000);
});

test('wherever a process dies, the next one finishes the move, and the application is served at every moment', async () => {
  const { calls } = await moved({}, () => undefined);
  expect(calls()).toBeGreaterThan(40);
  for (let number = 1; number <= calls(); number += 1)
    for (const { when, faults } of crashesAt(number)) {
      const made = await moveSimulation();
      await made.request('b');
      const unserved: number[] = [];
      await made.finish(async (call) => {
        if (!made.isServed()) unserved.push(call.number);
        return await faults(call);
      });
      expect(unserved, `${number} ${when}`).toEqual([]);
      await expectMoved(made);
    }
});

test('a move that was completed after the time to which the table was restored leaves a served application', async () => {
  for (let steps = 0, isOver = false; !isOver; steps += 1) {
    const made = await moveSimulation();
    await made.request('b');
    for (let step = 0; step < steps && !isOver; step += 1) {
      const { done, waitSeconds } = await made.step();
      isOver = done;
      made.clock.now += waitSeconds * 1000;
    }
    const { items } = await made.deps.table.scan({ limit: 100 });
    if (!isOver) await made.finish();
    for (const Item of items) await made.memory.send('PutItem', { Item });
    await made.finish();
    expect(made.isServed(), `after ${steps} steps`).toBe(true);
    expect(await made.app()).not.toHaveProperty('moveId');
  }
});

test('a move back home leaves no trace of the cell', async () => {
  const made = await moved();
  made.clock.now += 1000;
  await made.request('home');
  await made.finish();
  expect(await made.app()).not.toHaveProperty('cellId');
  expect(await made.served()).toEqual({ cellId: 'home', code: '2', variables: SECRET });
  expect([...made.functions.keys()]).toEqual(['home']);
});

const FAILURES: [string, MoveOptions, (made: Awaited<ReturnType<typeof moveSimulation>>) => unknown, RegExp][] = [
  ['does not pass its health check', { health: { status: 502 } }, () => undefined, /it answered 502/],
  ['has lost its stored code', {}, ({ objects }) => objects.clear(), /no longer stored/],
  [
    'uses a Node version that Lambda has retired',
    { isRetired: true },
    () => undefined,
    /Node version of the live release/,
  ],
];
test.each(FAILURES)('an application whose release %s stays where it was', async (_, options, prepare, problem) => {
  const made = await moveSimulation(options);
  await made.request('b');
  prepare(made);
  await made.finish();
  expect(made.move()).toMatchObject({ status: 'FAILED', problem: expect.stringMatching(problem) });
  expect(await made.served()).toMatchObject({ cellId: 'home', code: '2' });
  for (const name of ['moveId', 'movingTo', 'cellId', 'edgeCellId']) expect(await made.app()).not.toHaveProperty(name);
  expect([...made.functions.keys()]).toEqual(['home']);
  expect(made.deployments().map(({ release }) => release)).toEqual(['1', '2']);
});

test('a failed move leaves code from which the old cell can create a release, wherever a process dies', async () => {
  const failing = { health: { status: 502 } };
  const { calls } = await moved(failing, () => undefined);
  for (let number = 1; number <= calls(); number += 1)
    for (const { when, faults } of crashesAt(number)) {
      const made = await moved(failing, faults);
      expect(made.move(), `${number} ${when}`).toMatchObject({ status: 'FAILED' });
      expect(await made.openStored('home'), `${number} ${when}`).toEqual([SECRET, SECRET]);
    }
});

test('a step whose retries are exhausted ends the move before the switch, and never after it', async () => {
  const error = { Error: 'Error', Cause: 'Lambda is away' };
  const before = await moveSimulation();
  await before.request('b');
  await before.step();
  expect(await before.step(undefined, error)).toMatchObject({ done: false });
  // What cannot be undone does not hold up the end.
  expect(await before.step(undefined, error)).toMatchObject({ done: true });
  expect(before.move()).toMatchObject({ status: 'FAILED', problem: expect.stringContaining('failed repeatedly') });

  const after = await moveSimulation();
  await after.request('b');
  while (after.move().status === 'COPYING') await after.step();
  expect(await after.step(undefined, error)).toMatchObject({ done: false });
  await after.finish();
  await expectMoved(after);
});

test('only the newest releases are copied to the new cell', async () => {
  const made = await moved({ releases: ['1', '2', '3', '4', '5'] });
  const kept = made.deployments().filter(({ release }) => release !== undefined);
  expect(kept.map(({ id }) => id)).toEqual(['dep_3', 'dep_4', 'dep_5']);
});

test('an older release without stored code is no longer offered for rollback', async () => {
  const made = await moveSimulation();
  await made.request('b');
  made.objects.delete('artifacts/app_1/dep_1.zip');
  await made.finish();
  expect(made.deployments()).toMatchObject([{ retired: true }, { release: '1' }]);
  expect(await made.served()).toMatchObject({ cellId: 'b', code: '2' });
});

test('an application without a release is in its new cell immediately', async () => {
  const made = await moved({ releases: [] });
  expect(await made.app()).toMatchObject({ cellId: 'b', edgeCellId: 'home' });
  expect(made.history).toEqual(['removed from home']);
});

test.each(['DELETING', 'gone'])(
  'an application that is %s in the middle of a move leaves nothing anywhere',
  async (state) => {
    const { calls } = await moved({}, () => undefined);
    for (let number = 1; number <= calls(); number += 1) {
      const made = await moveSimulation();
      await made.request('b');
      let isDone = false;
      await made.finish(async (call) => {
        if (isDone || call.number < number) return undefined;
        isDone = true;
        // Its teardown is over before the step goes on (domain/processes/teardown.ts).
        if (state === 'gone') await made.deps.table.transact([remove(App, { accountId: 'acc_1', id: 'app_1' })]);
        else await made.set({ status: 'DELETING' });
        await made.deps.table.transact([remove(Host, { host: 'shop' })]);
        for (const each of [made.functions, made.logs, made.routes]) each.clear();
        return undefined;
      });
      const left = [...made.functions.keys(), ...made.logs, ...made.routes.keys()];
      // The last call of all is the end of the move itself.
      if (isDone) expect(left, `${number}`).toEqual([]);
      expect(made.move().finishedAt).not.toBeNull();
    }
  },
);

test('the URL of an application that is suspended during its move is closed in the new cell', async () => {
  const made = await moveSimulation();
  await made.request('b');
  await made.set({ status: 'SUSPENDED' });
  await made.finish();
  expect(await made.app()).toMatchObject({ cellId: 'b', status: 'SUSPENDED' });
  expect(made.functions.get('b')).toMatchObject({ isOpen: false });
});

test('deployments wait for a move and begin after it; rollbacks are refused', async () => {
  const made = await moveSimulation({ app: { repoUrl: 'https://github.com/you/app.git' } });
  await made.request('b');
  const { data } = await createDeployment(made.deps, CALLER, asked('app_1'));
  await expect(createDeployment(made.deps, CALLER, asked('app_1'))).rejects.toThrow('already in progress');
  const back = { id: 'app_1', deploymentId: 'dep_1' };
  await expect(rollBack(made.deps, CALLER, back)).rejects.toThrow('already in progress');
  expect(await made.app()).toMatchObject({ nextDeploymentId: data.id });
  expect(made.memory.items('QUEUED_BUILD')).toEqual([]);
  while (made.move().status !== 'DRAINING') await made.step();
  expect(await made.app()).toMatchObject({ activeDeploymentId: data.id });
  expect(made.memory.items('QUEUED_BUILD')).toMatchObject([{ id: data.id }]);
  await made.finish();
  expect(await made.app()).toMatchObject({ activeDeploymentId: data.id, cellId: 'b' });
});

test('a failed move starts the waiting deployment', async () => {
  const made = await moveSimulation({ app: { repoUrl: 'https://github.com/you/app.git' }, health: { status: 500 } });
  await made.request('b');
  const { data } = await createDeployment(made.deps, CALLER, asked('app_1'));
  await made.finish();
  expect(await made.app()).toMatchObject({ activeDeploymentId: data.id });
  expect(made.memory.items('QUEUED_BUILD')).toMatchObject([{ id: data.id }]);
});

test.each([
  ['c', {}, 'There is no hosting cell c'],
  ['home', {}, 'already in this cell'],
  ['b', { activeDeploymentId: 'dep_3' }, 'in progress'],
  ['b', { moveId: 'mov_1' }, 'in progress'],
  ['b', { databaseCount: 1 }, 'has databases'],
  ['b', { status: 'DELETING' as const }, 'Application not found'],
])('a move to %s of an application with %o is refused', async (cell, app, message) => {
  const made = await moveSimulation({ app });
  await expect(made.request(cell)).rejects.toThrow(message);
  expect(made.memory.items('MOVE')).toEqual([]);
});

test('of two operators who move an application concurrently, one succeeds', async () => {
  const made = await moveSimulation();
  const results = await Promise.allSettled([made.request('b'), made.request('b')]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(made.memory.items('MOVE')).toHaveLength(1);
});
