import { describe, expect, test } from 'vitest';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { deliverySlots } from '../../lib/concurrency.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { change } from '../../table/writes.ts';
import { START } from '../../test/simulation/simulation.ts';
import { type Receiver, type WebhookSimulationOptions, webhookSimulation } from '../../test/simulation/webhooks.ts';
import { isSlow, paceAfter, SLOW_ATTEMPT_MS, SLOW_ATTEMPTS, SLOW_LANE_MS } from './slow-lane.ts';

const HANGING_MS = TIMEOUTS_S.delivery.attempt * 1000;
const isHanging = (url: string) => url.includes('hanging');

async function simulate(options: WebhookSimulationOptions = {}) {
  const run = webhookSimulation({ durationOf: (url) => (isHanging(url) ? HANGING_MS : 5), ...options });
  await run.openAccount();
  const stored = async (id: string) => Webhook.parse(await run.steady.table.get(Webhook, { accountId: 'acc_1', id }));
  const makeSlow = (id: string, set: Pick<Webhook, 'slowAttempts' | 'slowUntil'>) =>
    run.steady.table.write(Webhook, change(Webhook, { accountId: 'acc_1', id }, { set }));
  return { ...run, stored, makeSlow };
}
const SLOW_SUCCESS: Receiver = () => 'DELIVERED';

describe.each([
  ['answers late', SLOW_SUCCESS],
  ['times out', (() => 'TIMEOUT') as Receiver],
])('an endpoint that %s', (_, receiver) => {
  test('is in the slow lane after five attempts, with its first attempts and with those that wait', async () => {
    const run = await simulate();
    const { id } = await run.endpoint('hanging', receiver);
    const good = await run.endpoint('good');
    for (let count = 0; count < SLOW_ATTEMPTS; count += 1) {
      await run.event(`app_${count}`);
      await run.runUntilIdle(run.clock.now + 5_000);
    }
    expect(await run.stored(id)).toMatchObject({ slowAttempts: SLOW_ATTEMPTS });
    expect(isSlow(await run.stored(id), new Date(run.clock.now))).toBe(true);
    expect((await run.stored(good.id)).slowAttempts).toBeUndefined();
    // What the fan-out queues now is for the slow lane; what was queued before is forwarded.
    const messages = run.messages().filter(({ message }) => message.webhookId === id);
    await run.event('app_next');
    await run.consumeStream();
    const lanes = run
      .messages()
      .filter(({ message }) => message.eventId === run.lastEventId())
      .map(({ message }) => [message.webhookId, message.slow ?? false]);
    expect(lanes.sort()).toEqual([[id, true] as const, [good.id, false] as const].sort());
    expect(messages.every(({ message }) => message.slow === undefined)).toBe(true);
  });
});

test('a message of the main lane whose endpoint became slow is forwarded, and its attempt is made in the slow lane', async () => {
  const run = await simulate();
  const { id } = await run.endpoint('hanging', SLOW_SUCCESS);
  await run.event();
  await run.consumeStream();
  const slowUntil = new Date(run.clock.now + SLOW_LANE_MS).toISOString();
  await run.makeSlow(id, { slowAttempts: SLOW_ATTEMPTS, slowUntil });
  await run.deliverBatch();
  expect(run.arrivals).toEqual([]);
  expect(run.messages().map(({ message }) => message.slow)).toEqual([true]);
  await run.deliverBatch();
  expect(run.arrivals).toHaveLength(1);
  expect(run.deliveries()).toMatchObject([{ status: 'DELIVERED' }]);
});

test('one quick attempt brings an endpoint back to the main lane', async () => {
  const run = await simulate({ durationOf: () => 5 });
  const { id } = await run.endpoint('better');
  const slowUntil = new Date(run.clock.now + SLOW_LANE_MS).toISOString();
  await run.makeSlow(id, { slowAttempts: 40, slowUntil });
  await run.event();
  await run.runUntilIdle();
  const after = await run.stored(id);
  expect([after.slowAttempts, after.slowUntil]).toEqual([undefined, undefined]);
});

test('the pace of an endpoint costs no write where it does not change, and few where it is slow for long', () => {
  const now = new Date(START);
  expect(paceAfter({}, [SLOW_ATTEMPT_MS - 1], now)).toBeUndefined();
  expect(paceAfter({}, [SLOW_ATTEMPT_MS], now)).toEqual({ add: { slowAttempts: 1 } });
  const slowUntil = new Date(START + SLOW_LANE_MS).toISOString();
  expect(paceAfter({ slowAttempts: SLOW_ATTEMPTS - 1 }, [SLOW_ATTEMPT_MS], now)).toEqual({
    add: { slowAttempts: 1 },
    set: { slowUntil },
  });
  const inLane = { slowAttempts: SLOW_ATTEMPTS, slowUntil };
  expect(paceAfter(inLane, [HANGING_MS], new Date(START + SLOW_LANE_MS / 2 - 1))).toBeUndefined();
  expect(paceAfter(inLane, [HANGING_MS], new Date(START + SLOW_LANE_MS / 2))).toMatchObject({ set: {} });
  expect(paceAfter(inLane, [HANGING_MS, 5], now)).toEqual({ remove: ['slowAttempts', 'slowUntil'] });
});

/**
 * Deliveries as discrete events: the slots of both lanes, the real rules of the slow lane, and more messages than can be
 * sent, in an order that a seed decides.
 * @returns deliveries to the receivers that answer in 250 ms, per second of ten minutes
 */
function throughput(endpoints: number, hanging: number, concurrency = 150): number {
  const SECONDS = 600;
  const QUICK_MS = 250;
  /** Time for which a forwarded message occupies a slot: two reads and a send. */
  const FORWARD_MS = 20;
  const slots = deliverySlots(concurrency);
  const paces = Array.from({ length: endpoints }, (): { slowAttempts?: number; slowUntil?: string } => ({}));
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  let delivered = 0;
  const ends: { at: number; lane: 'main' | 'slow'; endpoint: number; duration: number }[] = [];
  const waitingSlow: number[] = [];
  const free = { ...slots };
  const begin = (lane: 'main' | 'slow', endpoint: number, at: number) => {
    free[lane] -= 1;
    const pace = paces[endpoint] ?? {};
    const isForwarded = lane === 'main' && isSlow(pace, new Date(at));
    if (isForwarded) waitingSlow.push(endpoint);
    const duration = isForwarded ? FORWARD_MS : endpoint < hanging ? HANGING_MS : QUICK_MS;
    ends.push({ at: at + duration, lane, endpoint, duration: isForwarded ? 0 : duration });
  };
  for (let now = START; now < START + SECONDS * 1000; ) {
    while (free.main > 0) begin('main', Math.floor(random() * endpoints), now);
    while (free.slow > 0 && waitingSlow.length > 0) begin('slow', waitingSlow.shift() ?? 0, now);
    const at = Math.min(...ends.map((end) => end.at));
    for (const end of ends.filter((each) => each.at === at)) {
      ends.splice(ends.indexOf(end), 1);
      free[end.lane] += 1;
      if (end.duration === 0) continue;
      const { slowAttempts = 0, ...pace } = paces[end.endpoint] ?? {};
      const change = paceAfter({ slowAttempts, ...pace }, [end.duration], new Date(at));
      if (change?.remove) paces[end.endpoint] = {};
      else
        paces[end.endpoint] = {
          ...pace,
          slowAttempts: slowAttempts + (change?.add?.slowAttempts ?? 0),
          ...(change?.set as { slowUntil?: string } | undefined),
        };
      if (end.endpoint >= hanging) delivered += 1;
    }
    now = at;
  }
  return delivered / SECONDS;
}

test('with a tenth of the receivers hanging for 10 s, the others keep at least 0.8 of their throughput', () => {
  const without = throughput(100, 0);
  // The nine tenths of the messages that are for them.
  expect(throughput(100, 10) / (without * 0.9)).toBeGreaterThanOrEqual(0.8);
});
