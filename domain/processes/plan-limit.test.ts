import { expect, test } from 'vitest';
import { Account } from '../../table/entities/accounts.ts';
import { change } from '../../table/writes.ts';
import { accountSimulation } from '../../test/simulation/accounts.ts';
import { interruptEach } from '../../test/simulation/simulation.ts';
import { deleteApp } from '../apps/apps.ts';
import { sweep } from '../sweep/sweep.ts';
import { reviewPlanLimit } from './plan-limit.ts';
import { accountQueue } from './suspension.ts';

const DAY = 24 * 3600_000;

test('a plan that shrinks suspends the newest applications after seven days, with a notice and events', async () => {
  const { addApp, setLimit, flow, sweepAt, statuses, events, account, memory } = await accountSimulation();
  for (let count = 0; count < 4; count += 1) await addApp();
  await setLimit(1);
  await flow();
  const { planLimit } = await account();
  expect(planLimit?.steps).toEqual([{ appLimit: 1, suspendsAt: '2026-02-07T09:30:00.000Z' }]);
  expect(memory.items('EVENT')[0]).toMatchObject({
    type: 'plan.limit_exceeded',
    data: { plan: 'app-test', appLimit: 1, applications: 4, suspendsAt: '2026-02-07T09:30:00.000Z' },
  });
  await sweepAt(6.9);
  expect(statuses()).toEqual(Array(4).fill('RUNNING'));
  await sweepAt(0.2);
  expect(statuses()).toEqual(['RUNNING', 'SUSPENDED', 'SUSPENDED', 'SUSPENDED']);
  expect(events().slice(1)).toEqual(Array(3).fill('app.suspended'));
  await sweepAt(30);
  expect((await account()).dueAt).toBeUndefined();
});

test('an upgrade during the grace period ends it, one after it resumes what the new limit includes, at once', async () => {
  const { addApp, setLimit, flow, sweepAt, statuses, account } = await accountSimulation();
  for (let count = 0; count < 4; count += 1) await addApp();
  await setLimit(1);
  await flow();
  await setLimit(4);
  await flow();
  expect(await account()).not.toHaveProperty('planLimit');
  await sweepAt(8);
  expect(statuses()).toEqual(Array(4).fill('RUNNING'));
  await setLimit(1);
  await flow();
  await sweepAt(8);
  await setLimit(3);
  await flow();
  expect(statuses()).toEqual(['RUNNING', 'RUNNING', 'RUNNING', 'SUSPENDED']);
  await setLimit(4);
  await flow();
  expect(statuses()).toEqual(Array(4).fill('RUNNING'));
  expect((await account()).dueAt).toBeUndefined();
});

test('a limit that operators lower for the account counts like one of the plan', async () => {
  const { addApp, deps, accountId, flow, sweepAt, statuses, account } = await accountSimulation();
  await addApp();
  await addApp();
  await deps.table.transact([change(Account, { id: accountId }, { set: { limits: { applications: 1 } } })]);
  await flow();
  expect((await account()).planLimit?.steps).toMatchObject([{ appLimit: 1 }]);
  await sweepAt(8);
  expect(statuses()).toEqual(['RUNNING', 'SUSPENDED']);
  await deps.table.transact([change(Account, { id: accountId }, { remove: ['limits'] })]);
  await flow();
  expect(statuses()).toEqual(['RUNNING', 'RUNNING']);
});

test('deleting an application makes room for a suspended one', async () => {
  const { addApp, setLimit, flow, sweepAt, apps, deps, accountId } = await accountSimulation();
  const oldest = await addApp();
  await addApp();
  await addApp();
  await setLimit(1);
  await flow();
  await sweepAt(8);
  await deleteApp(deps, { accountId, keyId: '' }, { id: oldest });
  await flow();
  const running = apps().filter(({ status }) => status === 'RUNNING');
  expect(running.map(({ name }) => name)).toEqual(['App 2']);
});

test('an application that is being deleted takes no place, although the list still shows it', async () => {
  const { addApp, setLimit, flow, apps, deps, accountId, clock } = await accountSimulation();
  const oldest = await addApp();
  await addApp();
  await addApp();
  await setLimit(1);
  await flow();
  const listed = apps();
  await deleteApp(deps, { accountId, keyId: '' }, { id: oldest });
  clock.now += 8 * DAY;
  const each = async function* () {
    yield* listed;
  };
  await reviewPlanLimit({ ...deps, table: { ...deps.table, each } as unknown as typeof deps.table }, accountId);
  expect(apps().map(({ status }) => status)).toEqual(['DELETING', 'RUNNING', 'SUSPENDED']);
});

test('an upgrade that races with the end of the grace period leaves nothing suspended', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { addApp, setLimit, flow, deps, accountId, statuses, clock } = await accountSimulation();
    for (let count = 0; count < 4; count += 1) await addApp();
    await setLimit(1);
    await flow();
    clock.now += 8 * DAY;
    await Promise.all([sweep(deps, accountQueue), setLimit(10), reviewPlanLimit(deps, accountId)]);
    await flow();
    expect(statuses()).toEqual(Array(4).fill('RUNNING'));
  }
});

type World = Awaited<ReturnType<typeof accountSimulation>>;
test.each<[string, (world: World, oldest: string) => Promise<unknown>]>([
  ['upgrade', ({ setLimit }) => setLimit(2)],
  [
    'higher limit by operators',
    ({ deps, accountId }) =>
      deps.table.transact([change(Account, { id: accountId }, { set: { limits: { applications: 2 } } })]),
  ],
  ['deletion', ({ deps, accountId }, oldest) => deleteApp(deps, { accountId, keyId: '' }, { id: oldest })],
  [
    'upgrade, and the earlier limit again',
    async ({ setLimit, flow }) => {
      await setLimit(2);
      await flow();
      await setLimit(1);
    },
  ],
])('a review suspends nothing more after this change during it: %s', async (_, makeRoom) => {
  await interruptEach(async (interruption) => {
    const world = await accountSimulation();
    const { addApp, setLimit, flow, accountId, events, clock } = world;
    const oldest = await addApp();
    await addApp();
    await setLimit(1);
    await flow();
    clock.now += 8 * DAY;
    const suspensions = () => events().filter((type) => type === 'app.suspended').length;
    let before = 0;
    const faults = interruption.by(async () => {
      await makeRoom(world, oldest);
      before = suspensions();
    });
    await reviewPlanLimit(world.startProcess({ faults }).deps, accountId);
    if (interruption.isReached) expect(suspensions(), `before call ${interruption.step}`).toBe(before);
  });
});
