import { expect, test } from 'vitest';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { StaleVersion } from '../../providers/edge/host-routes.ts';
import type { RouteChange } from '../../providers/edge/route-changes.ts';
import { RouteWriter } from '../../table/entities/routes.ts';
import { change } from '../../table/writes.ts';
import { routeSimulation } from '../../test/simulation/routes.ts';
import {
  crashAt,
  crashAtStep,
  crashesAt,
  type FaultPlan,
  type SimulatedCall,
} from '../../test/simulation/simulation.ts';

const reasons = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'made'));
const of = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Calls take some milliseconds, and those of the store longer. */
const usual = (what: string, random: () => number) => random() * (what.startsWith('store') ? 200 : 10);

test('many concurrent processes need few updates, and every change is written in its order', async () => {
  const { run, start, counts, entries, expected, writer } = routeSimulation({ delay: usual });
  const work = of(60).flatMap((index) => {
    const routes = start();
    const own = [`app-${index}`];
    return [
      routes.pointIfUnset(own, 'placeholder'),
      routes.point([...own, 'all'], `release-${index}`),
      ...(index % 3 === 0 ? [routes.suspend(own)] : []),
      ...(index % 5 === 0 ? [routes.remove(own)] : []),
    ];
  });
  expect(new Set(reasons(await run(work)))).toEqual(new Set(['made']));
  expect(entries()).toEqual(expected());
  expect(Object.keys(entries()).length).toBeGreaterThan(45);
  expect(await writer()).toEqual({ cellId: 'home', pending: [] });
  expect([work.length, counts.updates <= 10]).toEqual([152, true]);
});

test('a single queued change takes four calls of the table and two of the store', async () => {
  const calls: string[] = [];
  const noting: FaultPlan = ({ when, what }) => {
    if (when === 'before') calls.push(what);
    return undefined;
  };
  const { run, start } = routeSimulation({ faults: noting });
  await run([start().point(['app'], 'release')]);
  const reads = ['store.version', 'table.GetItem', 'table.GetItem'];
  expect(calls).toEqual(['table.UpdateItem', ...reads, 'store.update', 'table.UpdateItem']);
});

test('an unchanged route is not written, and a change without host names makes no call', async () => {
  const { run, start, counts, calls } = routeSimulation({ faults: () => undefined });
  const routes = start();
  await run([routes.point(['app'], 'release')]);
  await run([routes.point(['app'], 'release'), start().resume(['app']), start().pointIfUnset(['app'], 'placeholder')]);
  expect(counts).toEqual({ updates: 1, versions: 1 });
  const before = calls();
  await run([routes.remove([])]);
  expect(calls()).toBe(before);
});

/** Three processes change the same host names twice each; then another one changes one of its own. */
async function runScenario(options: Parameters<typeof routeSimulation>[0]) {
  const world = routeSimulation(options);
  const work = of(3).map(async (index) => {
    const routes = world.start();
    await routes.point(['app', `own-${index}`], `release-${index % 2}`);
    await (index === 1 ? routes.remove(['app']) : routes.suspend(['app']));
  });
  const outcomes = await world.run(work);
  // What a crash has left is made by the next writer.
  const last = await world.run([world.start(() => undefined).point(['last'], 'release')]);
  return { ...world, outcomes: [...outcomes, ...last] };
}

test('wherever a process crashes, no change is lost, and all are written in the order of their requests', async () => {
  const calls = (await runScenario({ faults: () => undefined })).calls();
  expect(calls).toBeGreaterThan(20);
  for (let number = 1; number <= calls; number += 1) {
    for (const { when, faults } of crashesAt(number)) {
      const { outcomes, entries, expected, writer } = await runScenario({ faults });
      const name = `${when} ${number}`;
      expect(entries(), name).toEqual(expected());
      expect(await writer(), name).toEqual({ cellId: 'home', pending: [] });
      const others = reasons(outcomes).filter((reason) => reason === 'made');
      expect(others.length, name).toBeGreaterThanOrEqual(3);
    }
  }
});

/** Calls take a little longer than a lease now and then. */
const stopping =
  (share: number) =>
  (what: string, random: () => number): number =>
    random() < share ? (0.5 + random()) * TIMEOUTS_S.routeLease * 1000 : usual(what, random);

test('processes that stop at any call for longer than a lease undo nothing', async () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const { run, start, entries, expected, isInOrder, writer } = routeSimulation({ seed, delay: stopping(0.12) });
    await run([start().point(['app'], 'release-0')]);
    const work = of(5).map(async (index) => {
      const routes = start();
      for (const step of of(4)) {
        await routes.point(['app'], `release-${(index + step) % 2}`).catch(() => undefined);
        expect(isInOrder(), `seed ${seed}`).toBe(true);
      }
    });
    for (const { status } of await run(work)) expect(status).toBe('fulfilled');
    expect(isInOrder(), `seed ${seed}`).toBe(true);
    // What was given up is made by the next writer.
    await run([start().point(['last'], 'release')]);
    expect(entries(), `seed ${seed}`).toEqual(expected());
    expect((await writer())?.pending, `seed ${seed}`).toEqual([]);
  }
});

test('processes that stop and crash undo nothing', async () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const faults = crashAt(1 + ((seed * 7) % 40), seed % 2 === 0 ? 'before' : 'after');
    const { entries, expected, writer } = await runScenario({ seed, delay: stopping(0.06), faults });
    expect(entries(), `seed ${seed}`).toEqual(expected());
    expect((await writer())?.pending, `seed ${seed}`).toEqual([]);
  }
});

/** A store that has `app` pointed to the second target already, and processes that stop at some of their calls. */
async function lateWorld() {
  const world = routeSimulation({ delay: () => 1 });
  const { run, start, wait } = world;
  await run([start().point(['app'], 'second')]);
  return {
    ...world,
    /** Starts a process after some seconds, which points the host name, and stops at its own calls for so many seconds. */
    async point(target: string, { after = 0, stops = {} }: { after?: number; stops?: Record<number, number> } = {}) {
      await wait(after * 1000);
      const plan: FaultPlan = async ({ step, when }) => {
        if (when === 'before') await wait((stops[step] ?? 0) * 1000);
        return undefined;
      };
      await start(plan).point(['app'], target);
    },
  };
}

test('a late update of a former holder is refused, even if later changes restored the earlier routes', async () => {
  const { run, point, entries, counts } = await lateWorld();
  const work = [point('first', { stops: { 4: 30 } }), point('second', { after: 1 })];
  expect(reasons(await run(work))).toEqual(['made', 'made']);
  expect(entries()).toEqual({ app: 'second' });
  // No route has changed, but the version has.
  expect(counts).toEqual({ updates: 2, versions: 2 });
});

test('a holder that lost its lease does not begin another update with the changes of the next holder', async () => {
  const { run, point, entries } = await lateWorld();
  const work = [
    // Its first update is refused after 30 s. A second one would be for the version of this moment.
    point('first', { stops: { 4: 30, 7: 30 } }),
    point('second', { after: 1 }),
    // This one has the lease, and does nothing for eight seconds; what it then finds cancels out.
    point('first', { after: 29.5, stops: { 2: 8 } }),
    point('second', { after: 32 }),
  ];
  expect(new Set(reasons(await run(work)))).toEqual(new Set(['made']));
  expect(entries()).toEqual({ app: 'second' });
});

/** Fails what points to `first`, and lets it arrive five seconds later. */
const lateFirst = (changes: readonly RouteChange[]) =>
  changes.some(({ target }) => target === 'first') ? 5000 : undefined;

test('an update that failed and arrives late is refused', async () => {
  const { run, start, refusal, entries } = routeSimulation({ delay: usual });
  await run([start().point(['app'], 'second')]);
  refusal.of = lateFirst;
  const failed = start().point(['app'], 'first');
  const next = failed.catch(() => start().point(['app'], 'second'));
  expect(reasons(await run([failed, next]))).toEqual(['Error: TimeoutError', 'made']);
  expect(entries()).toEqual({ app: 'second' });
});

test('an update that failed for others is refused if it arrives after them', async () => {
  const { run, start, refusal, entries, memory } = routeSimulation({ delay: usual });
  await run([start().point(['app'], 'second'), start().point(['own'], 'release')]);
  const left = { id: 'rch_left', kind: 'point', hosts: ['app'], target: 'first', at: '2026-01-31T09:30:00.000Z' };
  await memory.table.write(RouteWriter, change(RouteWriter, { cellId: 'home' }, { append: { pending: [left] } }));
  refusal.of = lateFirst;
  const own = start().point(['own'], 'release');
  const next = own.then(() => start().point(['app'], 'second'));
  expect(reasons(await run([own, next]))).toEqual(['made', 'made']);
  expect(entries()).toEqual({ app: 'second', own: 'release' });
});

test('the lease of a dead holder is taken over, and its change is written', async () => {
  for (const step of of(5).slice(1)) {
    for (const when of ['before', 'after'] as SimulatedCall['when'][]) {
      const { run, start, entries } = routeSimulation({ delay: usual });
      const [dead] = await run([start(crashAtStep(step + 1, when)).point(['dead'], 'release')]);
      expect(dead?.status).toBe('rejected');
      expect(reasons(await run([start().point(['app'], 'release')]))).toEqual(['made']);
      expect(entries()).toEqual({ dead: 'release', app: 'release' });
    }
  }
});

test('a change that cannot be written in time is rejected, and the next holder writes it', async () => {
  const { run, start, refusal, entries, writer } = routeSimulation({ delay: usual });
  refusal.of = () => {
    throw new StaleVersion();
  };
  const outcomes = await run([start().point(['a'], 'release'), start().point(['b'], 'release')]);
  expect(reasons(outcomes)).toEqual(of(2).map(() => `Error: the routes could not be written within 40 s`));
  expect((await writer())?.pending).toHaveLength(2);
  refusal.of = undefined;
  await run([start().point(['c'], 'release')]);
  expect(entries()).toEqual({ a: 'release', b: 'release', c: 'release' });
});

test('while the store is unavailable each caller gets its error, no change stays queued, and later changes succeed', async () => {
  const { run, start, refusal, entries, writer } = routeSimulation({ delay: usual });
  refusal.of = () => {
    throw new Error('ServiceUnavailable');
  };
  const away = await run(of(10).map((index) => start().point([`app-${index}`], 'release')));
  expect(new Set(reasons(away))).toEqual(new Set(['Error: ServiceUnavailable']));
  expect((await writer())?.pending).toEqual([]);
  refusal.of = undefined;
  expect(reasons(await run([start().point(['app'], 'release')]))).toEqual(['made']);
  expect(entries()).toEqual({ app: 'release' });
});

test('a change that the store refuses holds up no other one', async () => {
  const { run, start, refusal, entries, writer } = routeSimulation({ delay: usual });
  refusal.of = (changes) => {
    if (changes.some(({ hosts }) => hosts.includes('refused'))) throw new Error('ValidationException');
    return undefined;
  };
  const hosts = ['a', 'b', 'refused', 'c', 'd'];
  const outcomes = await run(hosts.map((host) => start().point([host], 'release')));
  expect(reasons(outcomes)).toEqual(['made', 'made', 'Error: ValidationException', 'made', 'made']);
  expect(Object.keys(entries()).sort()).toEqual(['a', 'b', 'c', 'd']);
  expect((await writer())?.pending).toEqual([]);
});

test('a change that only a newer version understands stays queued for it, and blocks only its own host names', async () => {
  const { run, start, entries, memory, writer } = routeSimulation();
  await run([start().point(['app'], 'release')]);
  const newer = { id: 'rch_newer', kind: 'mirror', hosts: ['app'], at: '2026-01-31T09:30:00.000Z' };
  await memory.table.write(RouteWriter, change(RouteWriter, { cellId: 'home' }, { append: { pending: [newer] } }));
  const outcomes = await run([start().point(['other'], 'release'), start().point(['app'], 'next')]);
  expect(reasons(outcomes)).toEqual(['made', expect.stringContaining('does not know the route change mirror')]);
  expect(entries()).toEqual({ app: 'release', other: 'release' });
  expect((await writer())?.pending.map(({ id }) => id)).toEqual(['rch_newer']);
});
