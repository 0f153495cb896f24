import { expect, test } from 'vitest';
import { MAX_CONSECUTIVE_FAILURES } from '../../contract/webhooks/endpoints.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { crashesAt, failNth, START, seededRandom } from '../../test/simulation/simulation.ts';
import {
  type Receiver,
  type WebhookSimulation,
  type WebhookSimulationOptions,
  webhookSimulation,
} from '../../test/simulation/webhooks.ts';
import { pingWebhook, resendDelivery } from './management.ts';

/**
 * Invariant of the whole pipeline: after any crashes and failures every (event, endpoint) pair ends delivered, exhausted or
 * visibly skipped, and the endpoints' failure counts match the recorded attempts.
 */

const RECEIVERS: Record<string, Receiver> = {
  healthy: () => 'DELIVERED',
  down: () => 'BAD_STATUS',
  flaky: (nth) => (nth % 3 === 0 ? 'DELIVERED' : 'TIMEOUT'),
  disabled: () => 'DELIVERED',
};
/** Six attempts in little more than an hour, some with delays beyond the maximum of a message. */
const SCHEDULE = [60, 300, 960, 1000, 1200];

interface Outcome {
  run: WebhookSimulation;
  /** Endpoint ids by name. */
  ids: Record<string, string>;
  /** Number of events that were sent. */
  events: number;
}

/** Sends some events to four endpoints, a ping, and a resend after some minutes; then runs until idle. */
async function runScenario(options: WebhookSimulationOptions, events = 2): Promise<Outcome> {
  const run = webhookSimulation({ schedule: SCHEDULE, ...options });
  await run.openAccount();
  const ids: Record<string, string> = {};
  for (const [name, receiver] of Object.entries(RECEIVERS)) ids[name] = (await run.endpoint(name, receiver)).id;
  const { steady, caller } = run;
  const off = { accountId: caller.accountId, id: ids.disabled ?? '' };
  const webhook = await steady.table.get(Webhook, off);
  if (webhook) {
    const { change } = await import('../../table/writes.ts');
    await steady.table.write(Webhook, change(Webhook, off, { set: { active: false } }));
  }
  for (let count = 0; count < events; count += 1) await run.event(`app_${count}`);
  await pingWebhook(steady, caller, { id: ids.healthy ?? '' });
  await run.runUntilIdle(START + 4 * 60_000);
  const again = run.deliveries().find(({ webhookId, status }) => webhookId === ids.healthy && status === 'DELIVERED');
  if (again) await resendDelivery(steady, caller, { id: again.id });
  await run.runUntilIdle();
  return { run, ids, events };
}

/** Throws unless every pair has its final status. */
async function check({ run, ids, events }: Outcome): Promise<void> {
  const deliveries = run.deliveries();
  expect(deliveries).toHaveLength(events * Object.keys(ids).length + 1);
  for (const delivery of deliveries) {
    const name = Object.keys(ids).find((each) => ids[each] === delivery.webhookId);
    // An unrecorded attempt is one more request to a receiver that responds by count.
    const ends = { healthy: ['DELIVERED'], down: ['FAILED'], flaky: ['DELIVERED', 'FAILED'], disabled: ['SKIPPED'] };
    expect(Object.entries(ends).find(([each]) => each === name)?.[1], name).toContain(delivery.status);
    if (delivery.status === 'FAILED') expect(delivery.attempts).toHaveLength(6);
    const got = run.arrivals.filter(({ url, body }) => url.includes(`//${name}.`) && body === delivery.body);
    // At least once, and never recorded without a request.
    expect(got.length).toBeGreaterThanOrEqual(delivery.attempts.length);
  }
  const stored = await Promise.all(
    Object.values(ids).map((id) => run.steady.table.get(Webhook, { accountId: run.caller.accountId, id })),
  );
  const counts = Object.fromEntries(Object.keys(ids).map((name, index) => [name, stored[index]?.failureCount]));
  // Each recorded attempt counts once, regardless of crashes.
  expect(counts).toMatchObject({ healthy: 0, down: 6 * events, disabled: 0 });
  expect(counts.flaky).toBeLessThan(MAX_CONSECUTIVE_FAILURES);
}

test('loses no delivery when a process crashes before or after any call that it makes', async () => {
  // One event: every call that writes or sends is crashed twice, every read once, and the scenario runs once for each.
  const undisturbed = await runScenario({ faults: () => undefined }, 1);
  await check(undisturbed);
  const total = undisturbed.run.calls();
  expect(total).toBeGreaterThan(60);
  let crashes = 0;
  for (let number = 1; number <= total; number += 1) {
    for (const { when, faults, hasCrashed } of crashesAt(number)) {
      const outcome = await runScenario({ faults }, 1);
      crashes += Number(hasCrashed());
      await check(outcome).catch((error: Error) => {
        throw new Error(`after a crash ${when} call ${number}: ${error.message}`);
      });
    }
  }
  console.log(`invariant checker: ${total} calls, ${crashes} crashes, every pair accounted for each time`);
  // Ids are random, and so is, by a call or two, the work that they cause.
  expect(crashes).toBeGreaterThan(total);
}, 300_000);

test('loses no delivery when processes crash again and again', async () => {
  let crashes = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seededRandom(seed);
    const outcome = await runScenario({
      faults: ({ when }) => {
        if (when === 'before' || random() > 1 / 25) return undefined;
        crashes += 1;
        return 'crash';
      },
    });
    await check(outcome).catch((error: Error) => {
      throw new Error(`with seed ${seed}: ${error.message}`);
    });
  }
  console.log(`invariant checker: ${crashes} random crashes in 40 runs`);
  expect(crashes).toBeGreaterThan(40);
}, 300_000);

test.each(['table.', 'queue.', 'secrets.unseal'])(
  'the %s may fail for ten minutes: nothing is lost, and the backlog drains',
  async (what) => {
    let refused = 0;
    const outcome = await runScenario({
      faults: ({ when, what: called, now }) => {
        if (when === 'after' || !called.startsWith(what) || now > START + 10 * 60_000) return undefined;
        refused += 1;
        throw new Error('refused');
      },
    });
    await check(outcome);
    expect(refused).toBeGreaterThan(1);
  },
);

test("loses no event with the stream's records: the table knows which events lack deliveries", async () => {
  await check(await runScenario({ streamTrimmed: true }));
});

test('an event has no deliveries to endpoints created after it, even if it is found late', async () => {
  const run = webhookSimulation({ streamTrimmed: true });
  await run.openAccount();
  await run.endpoint('before');
  await run.event();
  run.clock.now += 1000;
  await run.endpoint('after');
  await run.runUntilIdle();
  expect(run.arrivals.map(({ url }) => url)).toEqual(['https://before.example.com/']);
});

test.each<[string, WebhookSimulationOptions, number[]]>([
  ['first', { streamTrimmed: true }, [60_000, 120_000]],
  // Due after a minute, plus half a minute of grace, plus the interval of the reconciler.
  ['second', { faults: failNth('queue.send', 2) }, [0, 120_000]],
])('the reconciler finds a %s attempt that was never enqueued', async (_, options, times) => {
  const run = webhookSimulation({ schedule: [60], ...options });
  await run.openAccount();
  await run.endpoint('down', () => 'BAD_STATUS');
  await run.event();
  await run.runUntilIdle();
  expect(run.arrivals.map(({ at }) => at - START)).toEqual(times);
  expect(run.deliveries()).toMatchObject([{ status: 'FAILED', tries: 2 }]);
});
