import { describe, expect, test } from 'vitest';
import { Webhook } from '../table/entities/webhooks.ts';
import { type Receiver, START, signedWith, webhookWorld } from '../test/webhook-world.ts';
import { reconcileEvents } from './event-sweep.ts';
import { deleteWebhook } from './webhooks/endpoints.ts';
import { FAILURES_MOST } from './webhooks/failure-count.ts';
import { enableWebhook, pingWebhook, resendSkipped, rotateSecret } from './webhooks/manage.ts';

const failing: Receiver = () => 'BAD_STATUS';

async function world(options: Parameters<typeof webhookWorld>[0] = {}) {
  const made = webhookWorld(options);
  await made.openAccount();
  return made;
}
type World = Awaited<ReturnType<typeof world>>;
const stored = ({ steady, caller }: World, id: string) =>
  steady.table.get(Webhook, { accountId: caller.accountId, id });

test('every subscriber gets the same bytes, signed with its own secret, each attempt with its own id', async () => {
  const w = await world();
  const all = await w.endpoint('all');
  const picky = await w.endpoint('picky', undefined, ['app.created']);
  await w.endpoint('other', undefined, ['app.deleted']);
  await w.event();
  await w.settle();
  expect(w.arrivals.map(({ url }) => url).sort()).toEqual([all.url, picky.url]);
  expect(new Set(w.arrivals.map(({ body }) => body)).size).toBe(1);
  expect(new Set(w.arrivals.map(({ headers }) => headers['x-service-delivery'])).size).toBe(2);
  for (const { url, secret } of [all, picky]) {
    const arrival = w.arrivals.find((each) => each.url === url);
    expect(arrival && signedWith(secret, arrival)).toBe(true);
    expect(arrival?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Webhooks/1.0',
      'x-service-event': 'app.created',
    });
  }
  expect(JSON.parse(w.arrivals[0]?.body ?? '')).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    type: 'app.created',
    created: '2026-01-31T09:30:00.000Z',
    data: { applicationId: 'app_1', name: 'App' },
  });
});

test('a failing receiver gets six attempts over 15 hours, in the gaps of the specification, freshly signed', async () => {
  const w = await world();
  const { url, secret } = await w.endpoint('down', failing);
  await w.event();
  await w.settle();
  const times = w.arrivals.map(({ at }) => (at - START) / 1000);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(gaps).toEqual([60, 300, 1800, 7200, 43_200]);
  expect(w.arrivals.every((arrival) => arrival.url === url && signedWith(secret, arrival))).toBe(true);
  const signatures = w.arrivals.map(({ headers }) => headers['x-service-signature']);
  expect(new Set(signatures).size).toBe(6);
  const [delivery] = w.deliveries();
  expect(delivery).toMatchObject({ status: 'FAILED', nextAttemptAt: null, tries: 6 });
  expect(delivery?.attempts).toHaveLength(6);
  // Messages never wait longer than SQS lets them, and nothing is left behind.
  expect([w.messages(), w.deadLetters]).toEqual([[], []]);
});

test('the first success ends it, and sets the count of failures to 0', async () => {
  const w = await world();
  const { id } = await w.endpoint('flaky', (nth) => (nth < 3 ? 'TIMEOUT' : 'DELIVERED'));
  await w.event();
  await w.settle(START + 30_000);
  expect((await stored(w, id))?.failureCount).toBe(1);
  await w.settle();
  expect(w.arrivals).toHaveLength(3);
  expect((await stored(w, id))?.failureCount).toBe(0);
  expect(w.deliveries()).toMatchObject([{ status: 'DELIVERED' }]);
});

describe('disabling', () => {
  test('the fiftieth failed attempt in a row disables, once, and the rest is skipped, visibly', async () => {
    const w = await world();
    const { id } = await w.endpoint('down', failing);
    for (let count = 0; count < 60; count += 1) await w.event(`app_${count}`);
    await w.settle();
    expect(await stored(w, id)).toMatchObject({ active: false, failureCount: FAILURES_MOST });
    const attempts = w.deliveries().flatMap((delivery) => delivery.attempts);
    // Those already under way when it was disabled still end as they end.
    expect(attempts.length).toBeGreaterThanOrEqual(FAILURES_MOST);
    expect(attempts.length).toBeLessThan(FAILURES_MOST + 10);
    expect(new Set(w.deliveries().map(({ status }) => status))).toEqual(new Set(['SKIPPED']));
    await w.event('late');
    await w.settle();
    expect(w.deliveries()).toHaveLength(61);
    expect(w.deliveries().every(({ status }) => status === 'SKIPPED')).toBe(true);
  });

  test('49 failures and a success do not', async () => {
    const w = await world({ schedule: [] });
    const { id } = await w.endpoint('moody', (nth) => (nth % FAILURES_MOST === 0 ? 'DELIVERED' : 'BAD_STATUS'));
    for (let count = 0; count < 120; count += 1) {
      await w.event(`app_${count}`);
      await w.settle(w.clock.now + 1);
    }
    expect(await stored(w, id)).toMatchObject({ active: true, failureCount: 20 });
  });

  test('enabled again, what was skipped since a time can be sent, the same event ids', async () => {
    const w = await world({ schedule: [] });
    let down = true;
    const { id } = await w.endpoint('back', () => (down ? 'REFUSED' : 'DELIVERED'));
    for (let count = 0; count < 55; count += 1) {
      await w.event(`app_${count}`);
      await w.settle(w.clock.now + 1);
    }
    const skipped = w.deliveries().filter(({ status }) => status === 'SKIPPED');
    expect(skipped).toHaveLength(5);
    const since = skipped.map(({ createdAt }) => createdAt).sort()[2] ?? '';
    const ask = () => resendSkipped(w.steady, w.caller, { id, since });
    await expect(ask()).rejects.toMatchObject({ code: 'conflict' });
    await expect(pingWebhook(w.steady, w.caller, { id })).rejects.toMatchObject({ code: 'conflict' });
    down = false;
    await enableWebhook(w.steady, w.caller, { id });
    expect(await ask()).toEqual({ data: { resent: 3, remaining: false } });
    const before = w.arrivals.length;
    await w.settle();
    const resent = w.arrivals.slice(before).map(({ body }) => JSON.parse(body).id);
    expect(new Set(resent).size).toBe(3);
    for (const eventId of resent) expect(skipped.map((each) => each.eventId)).toContain(eventId);
    expect(w.deliveries().filter(({ status }) => status === 'SKIPPED')).toHaveLength(2);
    expect(await stored(w, id)).toMatchObject({ active: true, failureCount: 0, disabledAt: null });
  });
});

describe('with deliveries in flight', () => {
  test('an endpoint deleted between two attempts, or during one, receives nothing more', async () => {
    const w = await world();
    const { id } = await w.endpoint('gone', async (): Promise<'BAD_STATUS'> => {
      await deleteWebhook(w.steady, w.caller, { id } as Parameters<typeof deleteWebhook>[2]);
      return 'BAD_STATUS';
    });
    await w.event();
    await w.settle();
    expect(w.arrivals).toHaveLength(1);
    expect(w.deliveries()).toMatchObject([{ status: 'SKIPPED' }]);
    await w.event();
    await w.settle();
    expect(w.arrivals).toHaveLength(1);
  });

  test('an endpoint deleted before its first attempt receives nothing, and nothing waits for it', async () => {
    const w = await world();
    const { id } = await w.endpoint('gone');
    await w.endpoint('stays');
    await w.event();
    await deleteWebhook(w.steady, w.caller, { id } as Parameters<typeof deleteWebhook>[2]);
    await w.settle();
    expect(w.arrivals.map(({ url }) => url)).toEqual(['https://stays.example.com/']);
    expect(w.deliveries()).toHaveLength(1);
    expect([w.messages(), w.deadLetters]).toEqual([[], []]);
  });

  test('an attempt that takes longer than the reconciler waits is recorded once, and counted once', async () => {
    const w = await world({ schedule: [] });
    const { id } = await w.endpoint('slow', async (): Promise<'TIMEOUT'> => {
      // Meanwhile it is taken for lost, stored and queued once more.
      w.clock.now += 40_000;
      await reconcileEvents(w.steady);
      return 'TIMEOUT';
    });
    await w.event();
    await w.settle();
    expect(w.arrivals).toHaveLength(1);
    expect(w.deliveries()).toMatchObject([{ status: 'FAILED', serial: 1 }]);
    expect((await stored(w, id))?.failureCount).toBe(1);
  });

  test('a secret rotated between attempts signs the next one, with the old one beside it for 24 hours', async () => {
    const w = await world({ schedule: [60, 86_400] });
    const { id, secret } = await w.endpoint('rotated', failing);
    await w.event();
    await w.settle(START + 30_000);
    const { data } = await rotateSecret(w.steady, w.caller, { id });
    expect(data.previousExpiresAt).toBe(new Date(w.clock.now + 86_400_000).toISOString());
    await w.settle();
    const [first, second, third] = w.arrivals;
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
    const w = await world();
    const { id, secret } = await w.endpoint('often');
    const { data: second } = await rotateSecret(w.steady, w.caller, { id });
    const { data: third } = await rotateSecret(w.steady, w.caller, { id });
    await w.event();
    await w.settle();
    const [arrival] = w.arrivals;
    if (!arrival) throw new Error('nothing arrived');
    expect([secret, second.secret, third.secret].map((each) => signedWith(each, arrival))).toEqual([false, true, true]);
  });

  test.each([-240_000, 240_000])(
    'a sender whose clock is %d ms off makes its six attempts, signed within what receivers accept',
    async (skew) => {
      const w = await world({ skew });
      await w.endpoint('down', failing);
      await w.event();
      await w.settle();
      expect(w.deliveries()[0]?.attempts).toHaveLength(6);
      for (const { at, headers } of w.arrivals) {
        const t = Number(/^t=(\d+)/.exec(headers['x-service-signature'] ?? '')?.[1]);
        expect(Math.abs(t - at / 1000)).toBeLessThan(300);
      }
    },
  );
});

test('a ping goes to the endpoint it is for, whatever that subscribes to, and to no other', async () => {
  const w = await world();
  const one = await w.endpoint('one', undefined, ['domain.registered']);
  await w.endpoint('two');
  const { data } = await pingWebhook(w.steady, w.caller, { id: one.id });
  await w.settle();
  expect(w.arrivals.map(({ url }) => url)).toEqual([one.url]);
  expect(JSON.parse(w.arrivals[0]?.body ?? '')).toMatchObject({
    id: data.eventId,
    type: 'ping',
    data: { webhookId: one.id },
  });
});

describe('an event costs at most 2 writes, and 2 for each attempt', () => {
  /** What is written for so many events, without the reconciler's own mark: one a minute for all. */
  async function cost(subscribers: number, receiver: Receiver, events = 1) {
    const w = await world();
    for (let count = 0; count < subscribers; count += 1) await w.endpoint(`to-${count}`, receiver);
    const before = w.memory.written.length;
    for (let count = 0; count < events; count += 1) {
      await w.event(`app_${count}`);
      await w.settle(w.clock.now + 1000);
    }
    await w.settle();
    const writes = w.memory.written.slice(before).filter(({ entity }) => entity !== 'SWEEP').length;
    const skipped = w.deliveries().filter(({ status }) => status === 'SKIPPED').length;
    return { writes, attempts: w.arrivals.length, skipped };
  }

  test.each<[string, number, Receiver, { writes: number; attempts: number }]>([
    ['nobody', 0, () => 'DELIVERED', { writes: 2, attempts: 0 }],
    ['one that answers', 1, () => 'DELIVERED', { writes: 2 + 1, attempts: 1 }],
    ['five that answer', 5, () => 'DELIVERED', { writes: 2 + 5, attempts: 5 }],
    ['one that answers the second time', 1, (nth) => (nth < 2 ? 'RESET' : 'DELIVERED'), { writes: 6, attempts: 2 }],
    ['five that answer the last time', 5, (nth) => (nth < 6 ? 'RESET' : 'DELIVERED'), { writes: 62, attempts: 30 }],
    ['one that never answers', 1, failing, { writes: 2 + 2 * 6, attempts: 6 }],
    ['five that never answer', 5, failing, { writes: 2 + 2 * 30, attempts: 30 }],
  ])('an event to %s', async (_, subscribers, receiver, expected) => {
    expect(await cost(subscribers, receiver)).toEqual({ ...expected, skipped: 0 });
    expect(expected.writes).toBeLessThanOrEqual(2 + 2 * expected.attempts);
  });

  test.each([1, 5])('a hundred events, of whose attempts one in twenty fails, to %i', async (subscribers) => {
    const { writes, attempts } = await cost(subscribers, (nth) => (nth % 20 === 0 ? 'BAD_STATUS' : 'DELIVERED'), 100);
    expect(attempts).toBeGreaterThan(100 * subscribers);
    expect(writes).toBeLessThanOrEqual(2 * 100 + 2 * attempts);
  });

  test('fifty failures in a row disable within the bound; what is skipped costs the one write that shows it', async () => {
    const { writes, attempts, skipped } = await cost(5, failing, 60);
    expect(attempts).toBeGreaterThanOrEqual(5 * FAILURES_MOST);
    expect(skipped).toBe(5 * 60);
    expect(writes).toBeLessThanOrEqual(2 * 60 + 2 * attempts + skipped);
  });
});
