import { expect, test } from 'vitest';
import { Event } from '../../table/entities/webhooks.ts';
import { type FaultPlan, seededRandom } from '../../test/simulation/simulation.ts';
import {
  type WebhookSimulation,
  type WebhookSimulationOptions,
  webhookSimulation,
} from '../../test/simulation/webhooks.ts';
import { createBudget } from '../sweep/budget.ts';
import { eventSweeps } from './event-sweep.ts';
import { listEvents } from './feed.ts';

/** An account with endpoints, whose feed has begun. */
async function openAccount(options: WebhookSimulationOptions, endpoints: number): Promise<WebhookSimulation> {
  const run = webhookSimulation(options);
  await run.openAccount();
  await listEvents(run.steady, run.caller, { limit: 10, after: undefined });
  for (let index = 0; index < endpoints; index += 1) await run.endpoint(`to-${index}`);
  return run;
}

const isSettled = (item: ReturnType<WebhookSimulation['memory']['items']>[number]) => item.duePk === undefined;

/** Returns what the reconciler still has to look at, of events that are all due. */
async function sweptEvents({ steady, clock }: WebhookSimulation): Promise<number> {
  clock.now += 60_000;
  return (await eventSweeps(steady).events({ budget: createBudget(steady, 60_000), resume: undefined })).done;
}

test('an event to no endpoint is settled with its place in the feed, by the same write', async () => {
  const run = await openAccount({}, 0);
  const before = run.memory.written.length;
  for (let index = 0; index < 5; index += 1) await run.event(`app_${index}`);
  while (await run.consumeStream());
  const written = run.memory.written.slice(before).map(({ entity }) => entity);
  // Each is written once, and once more with its place in the feed.
  expect(written.filter((entity) => entity === 'EVENT')).toHaveLength(10);
  expect(run.memory.items('EVENT').every((item) => isSettled(item) && item.inFeed === true)).toBe(true);
  expect(await sweptEvents(run)).toBe(0);
});

test.each([1, 3, 6])(
  'first deliveries to %i endpoints settle their events, and nothing is left to the reconciler',
  async (endpoints) => {
    const run = await openAccount({}, endpoints);
    for (let index = 0; index < 5; index += 1) await run.event(`app_${index}`);
    while ((await run.consumeStream()) || (await run.deliverBatch()));
    expect(run.deliveries()).toHaveLength(5 * endpoints);
    expect(run.memory.items('EVENT').filter(isSettled)).toHaveLength(5);
    expect(await sweptEvents(run)).toBe(0);
  },
);

test('an event to more endpoints than may settle it is left to the reconciler', async () => {
  const run = await openAccount({}, 7);
  await run.event();
  while ((await run.consumeStream()) || (await run.deliverBatch()));
  expect(await sweptEvents(run)).toBe(1);
  expect(run.memory.items('EVENT').every(isSettled)).toBe(true);
});

test('a delivery that waits for its receiver keeps its event settled: only a lost first attempt is the reconciler’s', async () => {
  const run = await openAccount({}, 0);
  await run.endpoint('down', () => 'BAD_STATUS');
  await run.event();
  while ((await run.consumeStream()) || (await run.deliverBatch()));
  expect(run.deliveries()).toMatchObject([{ status: 'PENDING', tries: 1 }]);
  expect(run.memory.items('EVENT').every(isSettled)).toBe(true);
});

test('whatever crashes, no event is settled before all its deliveries are stored and it is in the feed', async () => {
  let [moments, early] = [0, 0];
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seededRandom(seed);
    let run: WebhookSimulation | undefined;
    const faults: FaultPlan = ({ when }) => {
      const settled = (run?.memory.items('EVENT') ?? []).filter(isSettled).map((item) => Event.parse(item));
      for (const { id, inFeed } of settled) {
        moments += 1;
        const stored = run?.memory.items('DELIVERY').filter(({ eventId }) => eventId === id) ?? [];
        if (stored.length !== 3 || !inFeed) early += 1;
      }
      return when === 'before' || random() > 1 / 15 ? undefined : 'crash';
    };
    run = await openAccount({ faults }, 3);
    for (let index = 0; index < 3; index += 1) await run.event(`app_${index}`);
    await run.runUntilIdle();
    expect(run.memory.items('EVENT').every(isSettled)).toBe(true);
  }
  expect(early).toBe(0);
  expect(moments).toBeGreaterThan(1000);
});
