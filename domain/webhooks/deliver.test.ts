import { describe, expect, test } from 'vitest';
import { MAX_CONSECUTIVE_FAILURES } from '../../contract/webhooks/endpoints.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Delivery, Webhook } from '../../table/entities/webhooks.ts';
import { change } from '../../table/writes.ts';
import { START } from '../../test/simulation/simulation.ts';
import { type Receiver, signedWith, webhookSimulation } from '../../test/simulation/webhooks.ts';
import { deleteWebhook } from './endpoints.ts';
import { eventSweeps } from './event-sweep.ts';
import { enableWebhook, listDeliveries, pingWebhook, resendSkipped, rotateSecret } from './management.ts';

const failing: Receiver = () => 'BAD_STATUS';

async function simulate(options: Parameters<typeof webhookSimulation>[0] = {}) {
  const made = webhookSimulation(options);
  await made.openAccount();
  return made;
}
type Simulated = Awaited<ReturnType<typeof simulate>>;
const stored = ({ steady, caller }: Simulated, id: string) =>
  steady.table.get(Webhook, { accountId: caller.accountId, id });

test('every subscriber gets the same bytes, signed with its own secret, and each attempt has its own id', async () => {
  const run = await simulate();
  const all = await run.endpoint('all');
  const picky = await run.endpoint('picky', undefined, ['app.created']);
  await run.endpoint('other', undefined, ['app.deleted']);
  await run.event();
  await run.runUntilIdle();
  expect(run.arrivals.map(({ url }) => url).sort()).toEqual([all.url, picky.url]);
  expect(new Set(run.arrivals.map(({ body }) => body)).size).toBe(1);
  expect(new Set(run.arrivals.map(({ headers }) => headers['x-service-delivery'])).size).toBe(2);
  for (const { url, secret } of [all, picky]) {
    const arrival = run.arrivals.find((each) => each.url === url);
    expect(arrival && signedWith(secret, arrival)).toBe(true);
    expect(arrival?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Webhooks/1.0',
      'x-service-event': 'app.created',
    });
  }
  expect(JSON.parse(run.arrivals[0]?.body ?? '')).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    type: 'app.created',
    created: '2026-01-31T09:30:00.000Z',
    data: { applicationId: 'app_1', name: 'App' },
  });
});

test('a failing endpoint gets six attempts over 15 hours on the specified schedule, each with a new signature', async () => {
  const run = await simulate();
  const { url, secret } = await run.endpoint('down', failing);
  await run.event();
  await run.runUntilIdle();
  const times = run.arrivals.map(({ at }) => (at - START) / 1000);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(gaps).toEqual([60, 300, 1800, 7200, 43_200]);
  expect(run.arrivals.every((arrival) => arrival.url === url && signedWith(secret, arrival))).toBe(true);
  const signatures = run.arrivals.map(({ headers }) => headers['x-service-signature']);
  expect(new Set(signatures).size).toBe(6);
  const [delivery] = run.deliveries();
  expect(delivery).toMatchObject({ status: 'FAILED', nextAttemptAt: null, tries: 6 });
  expect(delivery?.attempts).toHaveLength(6);
  // No delay exceeds the maximum of SQS, and no message is left.
  expect([run.messages(), run.deadLetters]).toEqual([[], []]);
});

test('the first success ends the delivery and resets the failure count', async () => {
  const run = await simulate();
  const { id } = await run.endpoint('flaky', (nth) => (nth < 3 ? 'TIMEOUT' : 'DELIVERED'));
  await run.event();
  await run.runUntilIdle(START + 30_000);
  expect((await stored(run, id))?.failureCount).toBe(1);
  await run.runUntilIdle();
  expect(run.arrivals).toHaveLength(3);
  expect((await stored(run, id))?.failureCount).toBe(0);
  expect(run.deliveries()).toMatchObject([{ status: 'DELIVERED' }]);
});

describe('disabling an endpoint', () => {
  test('happens once, at the fiftieth consecutive failure, and later events are visibly skipped', async () => {
    const run = await simulate();
    const { id } = await run.endpoint('down', failing);
    for (let count = 0; count < 60; count += 1) await run.event(`app_${count}`);
    await run.runUntilIdle();
    expect(await stored(run, id)).toMatchObject({ active: false, failureCount: MAX_CONSECUTIVE_FAILURES });
    const attempts = run.deliveries().flatMap((delivery) => delivery.attempts);
    // Attempts in progress at that time still finish.
    expect(attempts.length).toBeGreaterThanOrEqual(MAX_CONSECUTIVE_FAILURES);
    expect(attempts.length).toBeLessThan(MAX_CONSECUTIVE_FAILURES + 10);
    expect(new Set(run.deliveries().map(({ status }) => status))).toEqual(new Set(['SKIPPED']));
    await run.event('late');
    await run.runUntilIdle();
    expect(run.deliveries()).toHaveLength(61);
    expect(run.deliveries().every(({ status }) => status === 'SKIPPED')).toBe(true);
  });

  test('does not happen after 49 failures and a success', async () => {
    const run = await simulate({ schedule: [] });
    const { id } = await run.endpoint('moody', (nth) =>
      nth % MAX_CONSECUTIVE_FAILURES === 0 ? 'DELIVERED' : 'BAD_STATUS',
    );
    for (let count = 0; count < 120; count += 1) {
      await run.event(`app_${count}`);
      await run.runUntilIdle(run.clock.now + 1);
    }
    expect(await stored(run, id)).toMatchObject({ active: true, failureCount: 20 });
  });

  test('can be undone, and events skipped since a given time can be resent with the same event ids', async () => {
    const run = await simulate({ schedule: [] });
    let down = true;
    const { id } = await run.endpoint('back', () => (down ? 'REFUSED' : 'DELIVERED'));
    for (let count = 0; count < 55; count += 1) {
      await run.event(`app_${count}`);
      await run.runUntilIdle(run.clock.now + 1);
    }
    const skipped = run.deliveries().filter(({ status }) => status === 'SKIPPED');
    expect(skipped).toHaveLength(5);
    const since = skipped.map(({ createdAt }) => createdAt).sort()[2] ?? '';
    const ask = () => resendSkipped(run.steady, run.caller, { id, since, statuses: ['SKIPPED'] });
    await expect(ask()).rejects.toMatchObject({ code: 'conflict' });
    await expect(pingWebhook(run.steady, run.caller, { id })).rejects.toMatchObject({ code: 'conflict' });
    down = false;
    await enableWebhook(run.steady, run.caller, { id });
    expect(await ask()).toEqual({ data: { resent: 3, remaining: false, next: null } });
    const before = run.arrivals.length;
    await run.runUntilIdle();
    const resent = run.arrivals.slice(before).map(({ body }) => JSON.parse(body).id);
    expect(new Set(resent).size).toBe(3);
    for (const eventId of resent) expect(skipped.map((each) => each.eventId)).toContain(eventId);
    expect(run.deliveries().filter(({ status }) => status === 'SKIPPED')).toHaveLength(2);
    expect(await stored(run, id)).toMatchObject({ active: true, failureCount: 0, disabledAt: null });
  });
});

describe('with deliveries in progress', () => {
  test('an endpoint deleted between or during attempts receives nothing more', async () => {
    const run = await simulate();
    const { id } = await run.endpoint('gone', async (): Promise<'BAD_STATUS'> => {
      await deleteWebhook(run.steady, run.caller, { id } as Parameters<typeof deleteWebhook>[2]);
      return 'BAD_STATUS';
    });
    await run.event();
    await run.runUntilIdle();
    expect(run.arrivals).toHaveLength(1);
    expect(run.deliveries()).toMatchObject([{ status: 'SKIPPED' }]);
    await run.event();
    await run.runUntilIdle();
    expect(run.arrivals).toHaveLength(1);
  });

  test('an endpoint deleted before its first attempt receives nothing, and no delivery stays pending', async () => {
    const run = await simulate();
    const { id } = await run.endpoint('gone');
    await run.endpoint('stays');
    await run.event();
    await deleteWebhook(run.steady, run.caller, { id } as Parameters<typeof deleteWebhook>[2]);
    await run.runUntilIdle();
    expect(run.arrivals.map(({ url }) => url)).toEqual(['https://stays.example.com/']);
    expect(run.deliveries()).toHaveLength(1);
    expect([run.messages(), run.deadLetters]).toEqual([[], []]);
  });

  test('an endpoint that is deleted counts towards the limit of its account no more, and once', async () => {
    const run = await simulate();
    const { id } = await run.endpoint('gone');
    await run.endpoint('stays');
    const input = { id } as Parameters<typeof deleteWebhook>[2];
    await deleteWebhook(run.steady, run.caller, input);
    await expect(deleteWebhook(run.steady, run.caller, input)).rejects.toMatchObject({ code: 'not_found' });
    expect(await run.steady.table.get(Account, { id: run.caller.accountId })).toMatchObject({ webhookCount: 1 });
  });

  test("an attempt that outlasts the reconciler's timeout is recorded and counted once", async () => {
    const run = await simulate({ schedule: [] });
    const { id } = await run.endpoint('slow', async (): Promise<'TIMEOUT'> => {
      // Meanwhile the reconciler considers it lost, and stores and queues it again.
      run.clock.now += 40_000;
      await eventSweeps(run.steady).events({ budget: undefined, resume: undefined });
      return 'TIMEOUT';
    });
    await run.event();
    await run.runUntilIdle();
    expect(run.arrivals).toHaveLength(1);
    expect(run.deliveries()).toMatchObject([{ status: 'FAILED', step: 1 }]);
    expect((await stored(run, id))?.failureCount).toBe(1);
  });

  test('a secret rotated between attempts signs the next one, together with the previous one for 24 hours', async () => {
    const run = await simulate({ schedule: [60, 86_400] });
    const { id, secret } = await run.endpoint('rotated', failing);
    await run.event();
    await run.runUntilIdle(START + 30_000);
    const { data } = await rotateSecret(run.steady, run.caller, { id });
    expect(data.previousExpiresAt).toBe(new Date(run.clock.now + 86_400_000).toISOString());
    await run.runUntilIdle();
    const [first, second, third] = run.arrivals;
    if (!first || !second || !third) throw new Error('three attempts were expected');
    const holders = [first, second, third].map((each) => [signedWith(secret, each), signedWith(data.secret, each)]);
    expect(holders).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
    expect(second.headers['x-service-signature']?.match(/v1=/g)).toHaveLength(2);
    expect(second.body).toBe(first.body);
  });

  test('a third rotation leaves two secrets', async () => {
    const run = await simulate();
    const { id, secret } = await run.endpoint('often');
    const { data: second } = await rotateSecret(run.steady, run.caller, { id });
    const { data: third } = await rotateSecret(run.steady, run.caller, { id });
    await run.event();
    await run.runUntilIdle();
    const [arrival] = run.arrivals;
    if (!arrival) throw new Error('nothing arrived');
    expect([secret, second.secret, third.secret].map((each) => signedWith(each, arrival))).toEqual([false, true, true]);
  });

  test('of two rotations at once, one is refused: a secret that was shown signs', async () => {
    const run = await simulate();
    const { id } = await run.endpoint('rotated-twice');
    const rotations = await Promise.allSettled([1, 2].map(() => rotateSecret(run.steady, run.caller, { id })));
    expect(rotations.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test.each([-240_000, 240_000])(
    'a sender with a clock %d ms off makes its six attempts with signatures that receivers accept',
    async (skew) => {
      const run = await simulate({ skewMs: skew });
      await run.endpoint('down', failing);
      await run.event();
      await run.runUntilIdle();
      expect(run.deliveries()[0]?.attempts).toHaveLength(6);
      for (const { at, headers } of run.arrivals) {
        const t = Number(/^t=(\d+)/.exec(headers['x-service-signature'] ?? '')?.[1]);
        expect(Math.abs(t - at / 1000)).toBeLessThan(300);
      }
    },
  );
});

test('a ping goes to its endpoint only, regardless of subscriptions', async () => {
  const run = await simulate();
  const one = await run.endpoint('one', undefined, ['domain.registered']);
  await run.endpoint('two');
  const { data } = await pingWebhook(run.steady, run.caller, { id: one.id });
  await run.runUntilIdle();
  expect(run.arrivals.map(({ url }) => url)).toEqual([one.url]);
  expect(JSON.parse(run.arrivals[0]?.body ?? '')).toMatchObject({
    id: data.eventId,
    type: 'ping',
    data: { webhookId: one.id },
  });
});

describe('an event takes at most 2 writes, plus 3 per attempt', () => {
  /** Counts the writes for a number of events, without the reconciler's own write per minute. */
  async function cost(subscribers: number, receiver: Receiver, events = 1) {
    const run = await simulate();
    for (let count = 0; count < subscribers; count += 1) await run.endpoint(`to-${count}`, receiver);
    const before = run.memory.written.length;
    for (let count = 0; count < events; count += 1) {
      await run.event(`app_${count}`);
      await run.runUntilIdle(run.clock.now + 1000);
    }
    await run.runUntilIdle();
    const writes = run.memory.written.slice(before).filter(({ entity }) => entity !== 'SWEEP').length;
    const skipped = run.deliveries().filter(({ status }) => status === 'SKIPPED').length;
    return { writes, attempts: run.arrivals.length, skipped };
  }

  test.each<[string, number, Receiver, { writes: number; attempts: number }]>([
    ['no endpoint', 0, () => 'DELIVERED', { writes: 2, attempts: 0 }],
    ['one that answers', 1, () => 'DELIVERED', { writes: 2 + 1, attempts: 1 }],
    // All end at the same moment, and so each tries to settle the event.
    ['five that answer', 5, () => 'DELIVERED', { writes: 2 + 5 + 4, attempts: 5 }],
    ['one that answers the second time', 1, (nth) => (nth < 2 ? 'RESET' : 'DELIVERED'), { writes: 8, attempts: 2 }],
    ['five that answer the last time', 5, (nth) => (nth < 6 ? 'RESET' : 'DELIVERED'), { writes: 92, attempts: 30 }],
    ['one that never answers', 1, failing, { writes: 2 + 3 * 6, attempts: 6 }],
    ['five that never answer', 5, failing, { writes: 2 + 3 * 30, attempts: 30 }],
  ])('an event to %s', async (_, subscribers, receiver, expected) => {
    expect(await cost(subscribers, receiver)).toEqual({ ...expected, skipped: 0 });
    expect(expected.writes).toBeLessThanOrEqual(2 + 3 * expected.attempts);
  });

  test.each([1, 5])('a hundred events with one failing attempt in twenty, to %i', async (subscribers) => {
    const { writes, attempts } = await cost(subscribers, (nth) => (nth % 20 === 0 ? 'BAD_STATUS' : 'DELIVERED'), 100);
    expect(attempts).toBeGreaterThan(100 * subscribers);
    expect(writes).toBeLessThanOrEqual(2 * 100 + 3 * attempts);
  });

  test('fifty consecutive failures disable within the bound, each with an entry of the audit log; a skipped delivery takes one write', async () => {
    const { writes, attempts, skipped } = await cost(5, failing, 60);
    expect(attempts).toBeGreaterThanOrEqual(5 * MAX_CONSECUTIVE_FAILURES);
    expect(skipped).toBe(5 * 60);
    expect(writes).toBeLessThanOrEqual(2 * 60 + 3 * attempts + skipped + 5);
  });
});

test('a failing event whose receiver answers 8 KB costs at most 80 write units, and shows 8 KB of the last answer', async () => {
  const run = await simulate({ responseBody: 'é'.repeat(4096) });
  const { id } = await run.endpoint('talkative', failing);
  const before = run.memory.written.length;
  await run.event();
  await run.runUntilIdle();
  const written = run.memory.written.slice(before).filter(({ entity }) => entity !== 'SWEEP');
  const units = written.reduce((sum, each) => sum + each.units, 0);
  console.log(`an event that fails six times with answers of 8 KB: ${units} write units`);
  expect(units).toBeLessThanOrEqual(80);
  const { data } = await listDeliveries(run.steady, run.caller, { id, limit: 10, offset: 0 } as Parameters<
    typeof listDeliveries
  >[2]);
  const sizes = data[0]?.attempts.map(({ responseBody }) => Buffer.byteLength(responseBody));
  expect(sizes).toEqual([1024, 1024, 1024, 1024, 1024, 8192]);
  expect(new Set(data[0]?.attempts.map((attempt) => attempt.id)).size).toBe(6);
  for (const item of run.memory.items('DELIVERY_ATTEMPT')) expect(item.expiresAtEpoch).toBeGreaterThan(0);
});

test('deliveries of version 0.2.0, which have their attempts inside, are shown and continued', async () => {
  const run = await simulate({ schedule: [60, 300] });
  const { id } = await run.endpoint('down', failing);
  await run.event();
  await run.runUntilIdle(START + 30_000);
  const [delivery] = run.deliveries();
  if (!delivery) throw new Error('a delivery was expected');
  // As that version would have stored it.
  const { accountId, id: deliveryId } = delivery;
  const inside = delivery.attempts.map(({ id, at, outcome, responseStatus, responseBody, durationMs }) => ({
    id,
    at,
    outcome,
    responseStatus,
    responseBody,
    durationMs,
  }));
  const old = { set: { attempts: inside }, remove: ['made'] };
  await run.steady.table.updateReturningChanged(change(Delivery, { accountId, id: deliveryId }, old));
  await run.runUntilIdle();
  const { data } = await listDeliveries(run.steady, run.caller, { id, limit: 10, offset: 0 } as Parameters<
    typeof listDeliveries
  >[2]);
  expect(data[0]).toMatchObject({ status: 'FAILED' });
  expect(data[0]?.attempts[0]).toMatchObject(inside[0] ?? {});
  expect(data[0]?.attempts).toHaveLength(3);
});
