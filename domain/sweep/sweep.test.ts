import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { toItem } from '../../table/attributes.ts';
import { entity } from '../../table/entity.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import type { DueRequest } from '../../table/table.ts';
import { change, create } from '../../table/writes.ts';
import { memoryTable } from '../../test/support/memory-table.ts';
import type { Deps } from '../deps.ts';
import { countQuarantined, discardQuarantined, listQuarantined, releaseQuarantined } from '../processes/quarantine.ts';
import { createBudget } from './budget.ts';
import { type DueQueue, MAX_FAILURES, type SweepDeps, sweep } from './sweep.ts';
import { type SweepJob, sweepAll } from './sweep-all.ts';

type Part = Parameters<SweepJob>[0];

const MINUTE = 60_000;
const START = Date.parse('2026-01-31T09:30:00.000Z');
const iso = (time: number) => new Date(time).toISOString();

const Thing = entity({
  type: 'THING',
  schema: () => z.object({ id: z.string(), dueAt: z.optional(z.string()) }),
  key: ({ id }: { id: string }) => ({ pk: `THING#${id}`, sk: 'THING' }),
  due: { queues: ['THING'] },
});
type Thing = ReturnType<typeof Thing.parse>;

/** A table with things that are due, and a queue that does with each what a test says. */
function thingsDue(act: (thing: Thing) => Promise<unknown> | unknown = () => undefined) {
  const memory = memoryTable();
  const clock = { now: START };
  const deps: SweepDeps = { table: memory.table, now: () => new Date(clock.now) };
  const acted: string[] = [];
  const things: DueQueue<typeof Thing, SweepDeps> = {
    queue: 'THING',
    entity: Thing,
    async act({ table }, thing) {
      acted.push(thing.id);
      await act(thing);
      await table.transact([change(Thing, thing, { remove: unschedule(Thing) })]);
      return thing.id;
    },
  };
  return {
    memory,
    clock,
    deps,
    acted,
    things,
    add: (id: string, dueAt = START) => deps.table.transact([create(Thing, { id, dueAt: iso(dueAt) })]),
    /** Stores an item of the queue that no entity can read. */
    poison: (id: string, dueAt = START, more: object = {}) =>
      memory.send('PutItem', {
        Item: {
          pk: { S: `THING#${id}` },
          sk: { S: 'THING' },
          duePk: { S: 'THING' },
          dueAt: { S: iso(dueAt) },
          ...more,
        },
      }),
    sweep: (queue: Partial<typeof things> = {}, milliseconds = 1000) =>
      sweep(deps, { ...things, ...queue }, { budget: createBudget(deps, milliseconds) }),
    stored: (id: string) => memory.items('THING').find((item) => item.id === id),
  };
}

test('acts on every item whose time has come, oldest first, and on no other', async () => {
  const { add, acted, sweep } = thingsDue();
  for (const [id, dueAt] of [
    ['b', -1],
    ['later', 1],
    ['a', -MINUTE],
    ['c', 0],
  ] as const)
    await add(id, START + dueAt);
  await expect(sweep()).resolves.toMatchObject({
    queue: 'THING',
    done: 3,
    results: ['a', 'b', 'c'],
    failed: [],
    oldestMs: MINUTE,
  });
  expect(acted).toEqual(['a', 'b', 'c']);
});

test('costs a healthy item one read, and no write but its own', async () => {
  const { add, memory, sweep } = thingsDue();
  await add('a');
  memory.written.length = 0;
  await sweep();
  expect(memory.written).toHaveLength(1);
});

test.each(['does not parse', 'throws'])('an item that %s is passed over, and the others are done', async (fault) => {
  const { add, poison, acted, sweep, clock } = thingsDue(({ id }) => {
    if (id.startsWith('bad')) throw new Error('no');
  });
  // More than a page of them, all due at the same time.
  for (let count = 0; count < 120; count += 1) {
    await (fault === 'throws' ? add(`bad${count}`, START - MINUTE) : poison(`bad${count}`, START - MINUTE));
  }
  await add('good');
  const report = await sweep({ concurrency: 20 });
  expect([report.done, report.failed.length]).toEqual([1, 120]);
  expect(acted.at(-1)).toBe('good');
  clock.now += MINUTE - 1;
  await expect(sweep()).resolves.toMatchObject({ done: 0, failed: [] });
});

test('a failing item waits twice as long each time, and leaves the queue after ten failures', async () => {
  const { add, clock, deps, sweep, stored } = thingsDue(() => {
    throw new TypeError('no');
  });
  await add('bad');
  for (let count = 1; count < MAX_FAILURES; count += 1) {
    const { failed } = await sweep();
    expect(failed).toMatchObject([{ pk: 'THING#bad', failures: count, quarantined: false }]);
    expect(stored('bad')).toMatchObject({ dueAt: iso(clock.now + MINUTE * 2 ** (count - 1)) });
    clock.now = Date.parse(String(stored('bad')?.dueAt));
  }
  const { failed } = await sweep();
  expect(failed).toMatchObject([{ failures: 10, quarantined: true }]);
  clock.now += 365 * 86_400_000;
  await expect(sweep()).resolves.toMatchObject({ done: 0, failed: [], oldestMs: 0 });
  expect(await countQuarantined(deps)).toBe(1);
  const [item] = (await listQuarantined(deps)).items;
  expect(item).toMatchObject({ pk: 'THING#bad', sk: 'THING', queue: 'THING', failures: 10, error: 'TypeError: no' });
});

/** The dependencies of an operator's function; the test of domain/audit/record.ts shows its entry. */
const releasing = <D>(deps: D) => ({ ...deps, commit: async <T>(_: unknown, output: T) => output });

test('a released item is due again, without its failures', async () => {
  let fails = true;
  const { add, poison, clock, deps, sweep, stored, acted } = thingsDue(() => {
    if (fails) throw new Error('no');
  });
  await add('bad');
  await poison('unreadable');
  for (let count = 0; count < MAX_FAILURES; count += 1) {
    await sweep();
    clock.now += 86_400_000;
  }
  await expect(releaseQuarantined(releasing(deps), { queue: 'OTHER' })).resolves.toEqual({ released: 0 });
  await expect(releaseQuarantined(releasing(deps), { pk: 'THING#bad', sk: 'THING' })).resolves.toEqual({ released: 1 });
  expect(stored('bad')).toMatchObject({ duePk: 'THING', dueAt: iso(clock.now) });
  fails = false;
  acted.length = 0;
  await expect(sweep()).resolves.toMatchObject({ done: 1, failed: [] });
  await expect(releaseQuarantined(releasing(deps), { queue: 'THING' })).resolves.toEqual({ released: 1 });
  await expect(sweep()).resolves.toMatchObject({ done: 0, failed: [{ failures: 1 }] });
});

test('of more quarantined items than one call takes, those of a queue are found, and what is discarded is due no more', async () => {
  const { poison, deps } = thingsDue();
  const quarantined = (queue: string) =>
    toItem({ duePk: 'QUARANTINE', sweepFailure: { duePk: queue, count: 10, error: 'no', at: iso(START) } });
  for (let count = 0; count < 500; count += 1) await poison(`other${count}`, START - MINUTE, quarantined('OTHER'));
  await poison('newest', START, quarantined('THING'));
  await expect(releaseQuarantined(releasing(deps), { queue: 'THING' })).resolves.toEqual({ released: 1 });
  const { items } = await listQuarantined(deps);
  expect(items).toHaveLength(500);
  await discardQuarantined(deps, items);
  expect(await countQuarantined(deps)).toBe(0);
});

test('a success ends the count of failures', async () => {
  let fails = true;
  const { add, clock, sweep, memory } = thingsDue(() => {
    if (fails) throw new Error('no');
  });
  await add('a');
  await sweep();
  fails = false;
  clock.now += MINUTE;
  await expect(sweep()).resolves.toMatchObject({ done: 1, failed: [] });
  expect(memory.items('THING')).toEqual([{ pk: 'THING#a', sk: 'THING', id: 'a', entity: 'THING', entityVersion: 1 }]);
});

test('an item that got another time before it failed keeps that time, and the failure is counted', async () => {
  const { add, sweep, stored, deps, clock } = thingsDue(async ({ id }) => {
    await deps.table.transact([change(Thing, { id }, { set: schedule(Thing, iso(clock.now + 5 * MINUTE)) })]);
    throw new Error('no');
  });
  await add('a');
  for (let count = 1; count <= MAX_FAILURES; count += 1) {
    await expect(sweep()).resolves.toMatchObject({ failed: [{ failures: count }] });
    if (count < MAX_FAILURES) expect(stored('a')).toMatchObject({ dueAt: iso(clock.now + 5 * MINUTE) });
    clock.now += 5 * MINUTE;
  }
  expect(stored('a')).toMatchObject({ duePk: 'QUARANTINE' });
});

test('an item that another queue got before it failed is left to that queue', async () => {
  const { add, sweep, stored, deps } = thingsDue(async ({ id }) => {
    await deps.table.transact([change(Thing, { id }, { set: { duePk: 'OTHER' } })]);
    throw new Error('no');
  });
  await add('a');
  await expect(sweep()).resolves.toMatchObject({ failed: [{ pk: 'THING#a' }] });
  expect(stored('a')).toEqual({ ...stored('a'), duePk: 'OTHER', dueAt: iso(START), sweepFailure: undefined });
});

test('an item with attributes that no entity has is counted like any other', async () => {
  const { poison, sweep, clock } = thingsDue();
  await poison('set', START, { odd: { SS: ['a'] } });
  await expect(sweep()).resolves.toMatchObject({ failed: [{ failures: 1 }] });
  clock.now += MINUTE;
  await expect(sweep()).resolves.toMatchObject({ failed: [{ failures: 2 }] });
});

test('an item whose work does not end has failed, and the next one is done', async () => {
  const { add, acted, sweep } = thingsDue(({ id }) => (id === 'hangs' ? new Promise(() => {}) : undefined));
  await add('hangs', START - 1);
  await add('good');
  await expect(sweep({ timeoutMs: 20 })).resolves.toMatchObject({ done: 1, failed: [{ failures: 1 }] });
  expect(acted).toEqual(['hangs', 'good']);
});

test('ends when its budget is spent, and goes on from there', async () => {
  const {
    add,
    acted,
    clock,
    deps,
    things,
    sweep: first,
  } = thingsDue(() => {
    clock.now += 100;
  });
  for (const id of ['a', 'b', 'c', 'd', 'e']) await add(id, START - MINUTE);
  const { resume, done } = await first({ pageSize: 2 }, 250);
  expect(done).toBe(3);
  const next = await sweep(deps, things, { budget: createBudget(deps, 1000), resume });
  expect(next).toMatchObject({ done: 2, failed: [] });
  expect(next.resume).toBeUndefined();
  expect(acted.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('goes on from where it ended although what it had reached was stored meanwhile', async () => {
  const { add, acted, clock, deps, things } = thingsDue(() => {
    clock.now += 100;
  });
  for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries()) await add(id, START - MINUTE + at);
  const budget = createBudget(deps, 250);
  const first = await sweep(deps, { ...things, pageSize: 3 }, { budget, after: iso(START - 2 * MINUTE) });
  expect(first).toMatchObject({ done: 3, reached: iso(START - MINUTE + 1) });
  // The next part is given what the first one reached, beyond the page that it ended in.
  const part = { budget: createBudget(deps, 1000), after: iso(START - MINUTE + 3), resume: first.resume };
  await expect(sweep(deps, things, part)).resolves.toMatchObject({ done: 2, failed: [] });
  expect(acted).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('has not reached the time of a page’s last item, which the next page may begin with', async () => {
  const { add, acted, clock, deps, things } = thingsDue(() => {
    clock.now += 100;
  });
  for (const id of ['a', 'b', 'c', 'd']) await add(id, START - MINUTE);
  const { reached } = await sweep(deps, { ...things, pageSize: 3 }, { budget: createBudget(deps, 250) });
  expect(acted).toHaveLength(3);
  await sweep(deps, things, { budget: createBudget(deps, 1000), after: reached });
  expect(acted.toSorted()).toEqual(['a', 'b', 'c', 'd']);
});

/** A queue of items of accounts, oldest first, of which each takes ten milliseconds. */
function dueOfAccounts(
  ids: readonly (readonly [accountId: string, id: number])[],
  options: Pick<DueQueue<typeof Thing, object>, 'readsAccounts' | 'concurrency'> = {},
) {
  const acted: string[] = [];
  const reads: string[] = [];
  const keyOf = (accountId: string, id: number) => `${options.readsAccounts ? '' : `ACCOUNT#${accountId}#`}THING#${id}`;
  const items = ids.map(([accountId, id]) => ({
    pk: keyOf(accountId, id),
    sk: 'THING',
    id: `${accountId}${id}`,
    accountId,
    entity: 'THING',
    duePk: 'THING',
    dueAt: iso(START - MINUTE + id),
  }));
  const clock = { now: START };
  const table = {
    due: async (_: string, { limit, from }: DueRequest) => {
      const begin = from ? items.findIndex(({ pk }) => pk === from.pk) + 1 : 0;
      return items.slice(begin, begin + limit).map(({ pk, sk, duePk, dueAt }) => ({ pk, sk, duePk, dueAt }));
    },
    getByKey: async ({ pk }: { pk: string }) => {
      reads.push(pk);
      return toItem(items.find((item) => item.pk === pk) ?? {});
    },
  } as unknown as Deps['table'];
  const deps = { table, now: () => new Date(clock.now) };
  const queue: DueQueue<typeof Thing, object> = {
    queue: 'THING',
    entity: Thing,
    ...options,
    act: async (_, { id }) => {
      acted.push(id);
      clock.now += 10;
    },
  };
  return { acted, reads, sweep: () => sweep(deps, queue, { budget: createBudget(deps, 35) }) };
}
const many = (count: number) => Array.from({ length: count }, (_, id) => ['many', id] as const);

test('accounts take turns: one with many items that are due longer does not keep the others waiting', async () => {
  const { acted, sweep } = dueOfAccounts([...many(50), ['few', 100], ['few', 101]]);
  const { reached } = await sweep();
  expect(acted).toEqual(['many0', 'few100', 'many1', 'few101']);
  // What of the others was due before is left.
  expect(reached).toBe(iso(START - MINUTE + 1));
});

test('accounts whose items are pages behind those of another take turns with it, too', async () => {
  const { acted, sweep } = dueOfAccounts([...many(2500), ['few', 3000], ['few', 3001]]);
  const { reached } = await sweep();
  expect(acted).toEqual(['many0', 'few3000', 'many1', 'few3001']);
  expect(reached).toBe(iso(START - MINUTE + 1));
});

test.each([50, 1500])('accounts that keys do not name take turns with an account that has %i items', async (count) => {
  const { acted, sweep } = dueOfAccounts([...many(count), ['few', 3000], ['few', 3001]], { readsAccounts: true });
  const { reached } = await sweep();
  expect(acted).toEqual(['many0', 'few3000', 'many1', 'few3001']);
  expect(reached).toBe(iso(START - MINUTE + 1));
});

test('items that are acted on at once are read once', async () => {
  const { acted, reads, sweep } = dueOfAccounts(
    [
      ['', 0],
      ['many', 1],
    ],
    { readsAccounts: true, concurrency: 2 },
  );
  await sweep();
  expect([acted, reads.length]).toEqual([['0', 'many1'], 2]);
});

test('says until when everything was done', async () => {
  const { add, clock, sweep } = thingsDue(() => {
    clock.now += 100;
  });
  for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await add(id, START - 10 * MINUTE + at);
  await expect(sweep({}, 150)).resolves.toMatchObject({ reached: iso(START - 10 * MINUTE + 1) });
  const now = clock.now;
  await expect(sweep({}, 1000)).resolves.toMatchObject({ reached: iso(now), done: 2 });
});

test('no queue uses up a run: each has its share, and what is left over goes to those with more', async () => {
  const clock = { now: START };
  const now = () => new Date(clock.now);
  const calls: string[] = [];
  const job =
    (name: string, items: { left: number }) =>
    async ({ budget }: Part) => {
      calls.push(name);
      const report = { queue: name, done: 0, results: [], failed: [], oldestMs: 0, reached: '' };
      while (items.left > 0 && !budget?.isSpent()) {
        clock.now += 10;
        items.left -= 1;
        report.done += 1;
      }
      return items.left > 0 ? { ...report, resume: { found: [], open: [] } } : report;
    };
  const endless = { left: Number.POSITIVE_INFINITY };
  const failing = async () => {
    throw new Error('no index');
  };
  const outcomes: object[] = [];
  const jobs = {
    endless: job('endless', endless),
    failing,
    short: job('short', { left: 5 }),
    long: job('long', { left: 40 }),
  };
  await sweepAll({ now }, jobs, (name, outcome) => outcomes.push({ name, ...outcome }), createBudget({ now }, 1000));
  expect(clock.now - START).toBeLessThanOrEqual(1020);
  expect(new Set(calls)).toEqual(new Set(['endless', 'short', 'long']));
  const done = (name: string) =>
    outcomes.reduce(
      (sum, each) =>
        sum + ('report' in each && 'name' in each && each.name === name ? (each.report as { done: number }).done : 0),
      0,
    );
  expect([done('short'), done('long')]).toEqual([5, 40]);
  expect(done('endless')).toBeGreaterThan(25);
  expect(outcomes).toContainEqual({ name: 'failing', error: new Error('no index') });
});

test('another queue is the first one every minute', async () => {
  const order = async (minute: number) => {
    const now = () => new Date(START + minute * MINUTE);
    const called: string[] = [];
    const job = (name: string) => async () => {
      called.push(name);
      return { queue: name, done: 0, results: [], failed: [], oldestMs: 0, reached: '' };
    };
    await sweepAll({ now }, { a: job('a'), b: job('b'), c: job('c') }, () => undefined);
    return called;
  };
  const firsts = await Promise.all([0, 1, 2].map(order));
  expect(new Set(firsts.map(([first]) => first))).toEqual(new Set(['a', 'b', 'c']));
});
