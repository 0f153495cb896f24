import { expect, test } from 'vitest';
import { Event, Webhook } from '../../table/entities/webhooks.ts';
import { change } from '../../table/writes.ts';
import { type Receiver, webhookSimulation } from '../../test/simulation/webhooks.ts';
import { deliver } from './deliver.ts';
import { fanOut } from './fan-out.ts';

const MINUTE = 60_000;

/** An endpoint that an account's suspension holds and releases, as domain/processes/suspension.ts does. */
async function harness(receiver?: Receiver) {
  const run = webhookSimulation();
  await run.openAccount();
  const { id } = await run.endpoint('held', receiver);
  const { steady, caller, clock } = run;
  const endpoint = { accountId: caller.accountId, id };
  return {
    ...run,
    hold: () =>
      steady.table.transact([change(Webhook, endpoint, { set: { heldSince: new Date(clock.now).toISOString() } })]),
    release: () => steady.table.transact([change(Webhook, endpoint, { remove: ['heldSince'] })]),
    /** Runs for so many minutes. */
    pass: (minutes: number) => run.runUntilIdle(clock.now + minutes * MINUTE),
  };
}

test('events of a suspended account wait, however long, and are delivered once it is lifted', async () => {
  const { hold, release, pass, event, arrivals, deliveries, clock } = await harness();
  await hold();
  await event();
  await event();
  // Not a whole number of hours: held deliveries are checked again every hour, which must not be what releases them here.
  await pass(4 * 60 + 20);
  expect(arrivals).toEqual([]);
  expect(deliveries()).toMatchObject([
    { status: 'PENDING', held: true, attempts: [] },
    { status: 'PENDING', held: true, attempts: [] },
  ]);
  const lifted = clock.now;
  await release();
  await pass(10);
  expect(arrivals).toHaveLength(2);
  expect(arrivals.every(({ at }) => at - lifted < MINUTE)).toBe(true);
  expect(deliveries().map(({ status, held }) => [status, held])).toEqual([
    ['DELIVERED', undefined],
    ['DELIVERED', undefined],
  ]);
});

test('a delivery with failed attempts keeps the attempts that it has left', async () => {
  const { hold, release, pass, event, arrivals, deliveries } = await harness(() => 'BAD_STATUS');
  await event();
  await pass(3);
  expect(arrivals).toHaveLength(2);
  await hold();
  await pass(3 * 60);
  expect([arrivals.length, deliveries()[0]?.tries]).toEqual([2, 2]);
  await release();
  await pass(20 * 60);
  expect(arrivals).toHaveLength(6);
  expect(deliveries()).toMatchObject([{ status: 'FAILED', tries: 6 }]);
});

test('a retry that was not due during a suspension keeps its time', async () => {
  const { hold, release, pass, event, arrivals } = await harness(() => 'BAD_STATUS');
  await event();
  // The fourth attempt is due half an hour after the third, at about minute 36.
  await pass(10);
  expect(arrivals).toHaveLength(3);
  await hold();
  await pass(5);
  await release();
  await pass(15);
  expect(arrivals).toHaveLength(3);
  await pass(10);
  expect(arrivals).toHaveLength(4);
});

test('a delivery that a suspension would hold is sent at once where the suspension ends in that moment', async () => {
  const { hold, release, event, arrivals, deliveries, steady, memory } = await harness();
  await hold();
  await event();
  const [stored] = memory.items('EVENT').map((item) => Event.parse(item));
  if (!stored) throw new Error('no event');
  const [message] = await fanOut(steady, stored);
  if (!message) throw new Error('no message');
  const { table } = steady;
  let ends: (() => Promise<unknown>) | undefined = release;
  const get: typeof table.get = async (entity, of) => {
    const found = await table.get(entity, of);
    const end = ends;
    if ((entity as { type: string }).type === Webhook.type) {
      ends = undefined;
      await end?.();
    }
    return found;
  };
  expect(await deliver({ ...steady, table: { ...table, get } }, message)).toMatchObject({ outcome: 'DELIVERED' });
  expect(arrivals).toHaveLength(1);
  expect(deliveries()).toMatchObject([{ status: 'DELIVERED', attempts: [{ outcome: 'DELIVERED' }] }]);
});

test('a held delivery that the release did not find is delivered within the hour', async () => {
  const { hold, pass, event, arrivals, steady, memory } = await harness();
  await hold();
  await event();
  await pass(5);
  // The release finds nothing: the hold seems to have begun much later.
  const [stored] = memory.items('WEBHOOK').map((item) => Webhook.parse(item));
  if (!stored) throw new Error('no endpoint');
  const later = { set: { heldSince: '2027-01-01T00:00:00.000Z' } };
  await steady.table.transact([change(Webhook, stored, later)]);
  await steady.table.transact([change(Webhook, stored, { remove: ['heldSince'] })]);
  await pass(61);
  expect(arrivals).toHaveLength(1);
});

test('while deliveries are switched off they wait, without using up an attempt, and go on within a minute', async () => {
  let off = false;
  const run = webhookSimulation({ isOff: () => off });
  await run.openAccount();
  await run.endpoint('switched', (nth) => (nth === 1 ? 'BAD_STATUS' : 'DELIVERED'));
  const pass = (minutes: number) => run.runUntilIdle(run.clock.now + minutes * MINUTE);
  await run.event();
  await pass(0.5);
  off = true;
  await run.event();
  await pass(3 * 60);
  expect(run.arrivals).toHaveLength(1);
  expect(
    run
      .deliveries()
      .map(({ status, tries }) => [status, tries])
      .sort(),
  ).toEqual([
    ['PENDING', 0],
    ['PENDING', 1],
  ]);
  expect(run.deadLetters).toEqual([]);
  off = false;
  const onAt = run.clock.now;
  await pass(10);
  expect(run.arrivals).toHaveLength(3);
  expect(run.arrivals.slice(1).every(({ at }) => at - onAt < MINUTE)).toBe(true);
  expect(run.deliveries().map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED']);
});
