import { isDeepStrictEqual } from 'node:util';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { createRouteWriter } from '../../domain/apps/route-writer.ts';
import type { Deps } from '../../domain/deps.ts';
import { type RouteStore, StaleVersion } from '../../providers/edge/host-routes.ts';
import { countWithin, effectOf, type RouteChange } from '../../providers/edge/route-changes.ts';
import { RouteWriter } from '../../table/entities/routes.ts';
import type { Send } from '../../table/table.ts';
import { type FaultPlan, noFaults, seededRandom, simulation } from './simulation.ts';

/** The most keys of one update. */
const MAX_KEYS = 50;
/** The key of marks. */
const MARK = 'route-writer';
const CELL = 'home';

export interface RouteSimulationOptions {
  seed?: number;
  faults?: FaultPlan;
  /** Returns the time that a call takes before the outside hears of it, in milliseconds. */
  delay?: (what: string, random: () => number) => number;
}

type Entries = Map<string, string>;

/** The writer without the parameter of the application. */
interface RoutesOfAnyone {
  point(hosts: readonly string[], target: string): Promise<void>;
  pointIfUnset(hosts: readonly string[], target: string): Promise<void>;
  suspend(hosts: readonly string[]): Promise<void>;
  resume(hosts: readonly string[]): Promise<void>;
  remove(hosts: readonly string[]): Promise<void>;
}

function apply(entries: Entries, changes: readonly RouteChange[]): boolean {
  const changed = effectOf(changes, entries);
  for (const [key, value] of changed) {
    if (value === null) entries.delete(key);
    else entries.set(key, value);
  }
  return changed.size > 0;
}

const withoutMark = (entries: Entries): Record<string, string> =>
  Object.fromEntries([...entries].filter(([key]) => key !== MARK));

/** A store of routes that applies updates at once, and the routes that it has. */
export function immediateStore(): { store: RouteStore; entries: () => Record<string, string> } {
  const entries: Entries = new Map();
  let versions = 0;
  const store: RouteStore = {
    version: async () => String(versions),
    async update(version, changes, mark) {
      if (version !== String(versions)) throw new StaleVersion();
      if (apply(entries, changes) || mark !== undefined) versions += 1;
      return changes.length;
    },
  };
  return { store, entries: () => withoutMark(entries) };
}

/** Returns the writer of a process's routes. Its waits only move the clock. */
export const simulatedRoutes = (
  deps: Pick<Deps, 'table' | 'now' | 'newId'>,
  store: RouteStore,
  clock: { now: number },
) =>
  createRouteWriter(deps, CELL, store, {
    random: () => 1,
    wait: async (milliseconds) => {
      clock.now += milliseconds;
    },
  });

/** Processes that write the routes of one cell, over a store that refuses updates of an old version. Time passes when all wait. */
export function routeSimulation({ seed = 1, faults = noFaults, delay }: RouteSimulationOptions = {}) {
  const random = seededRandom(seed);
  const timers: { at: number; wake: () => void }[] = [];
  const wait = (milliseconds: number) =>
    new Promise<void>((wake) => timers.push({ at: world.clock.now + milliseconds, wake }));
  const through =
    (send: Send): Send =>
    async (operation, input) => {
      if (delay) await wait(delay(`table.${operation}`, random));
      return await send(operation, input);
    };
  const world = simulation({ faults, through });
  const { clock, memory, startProcess } = world;

  const entries: Entries = new Map();
  const counts = { versions: 0, updates: 0 };
  /** Fails an update by throwing, where a test says so; by a number, the update arrives so many milliseconds after it failed. */
  const refusal: { of?: ((changes: readonly RouteChange[]) => number | undefined) | undefined } = {};
  const receive = (version: string, changes: readonly RouteChange[], mark: string | undefined) => {
    if (version !== String(counts.versions)) throw new StaleVersion();
    apply(entries, changes);
    if (mark !== undefined) entries.set(MARK, mark);
    counts.versions += 1;
    counts.updates += 1;
  };
  const store: RouteStore = {
    async version() {
      if (delay) await wait(delay('store.version', random));
      return String(counts.versions);
    },
    async update(version, changes, mark) {
      const count = countWithin(changes, MAX_KEYS - (mark === undefined ? 0 : 1));
      const taken = changes.slice(0, count);
      const isNeeded = mark !== undefined || effectOf(taken, entries).size > 0;
      if (delay) await wait(delay('store.update', random));
      if (!isNeeded) return count;
      const late = refusal.of?.(taken);
      if (late !== undefined) {
        void wait(late)
          .then(() => receive(version, taken, mark))
          .catch(() => undefined);
        throw new Error('TimeoutError');
      }
      receive(version, taken, mark);
      return count;
    },
  };

  /** Starts a process that writes routes. Its changes name no application, like those of older versions, so they always apply. */
  function start(own: FaultPlan = faults): RoutesOfAnyone {
    const { deps, port } = startProcess({ faults: own });
    return createRouteWriter(deps, CELL, port('store', store), { random, wait }) as RoutesOfAnyone;
  }

  /** Lets time pass until all work has ended, late updates too. @returns the outcomes */
  async function run<T>(work: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
    let outcomes: PromiseSettledResult<T>[] | undefined;
    const ended = Promise.allSettled(work).then((all) => {
      outcomes = all;
    });
    for (let steps = 0; outcomes === undefined || timers.length > 0; steps += 1) {
      await new Promise((done) => setImmediate(done));
      timers.sort((a, b) => a.at - b.at);
      const next = timers.shift();
      if (steps > 50_000) throw new Error('the work does not end');
      if (!next) continue;
      clock.now = Math.max(clock.now, next.at);
      next.wake();
    }
    await ended;
    // The last one that waited was woken just now.
    await new Promise((done) => setImmediate(done));
    return outcomes;
  }

  /** Returns the changes that ever waited, in their order: by the table's stream. */
  function asked(): RouteChange[] {
    const seen = new Map<string, RouteChange>();
    for (const record of memory.records) {
      const { NewImage } = (record as { dynamodb: { NewImage?: Parameters<typeof unmarshall>[0] } }).dynamodb;
      const item = NewImage && unmarshall(NewImage);
      if (item?.entity !== RouteWriter.type) continue;
      for (const change of RouteWriter.parse(item).pending) seen.set(change.id, change);
    }
    return [...seen.values()];
  }

  const shown = () => withoutMark(entries);
  return {
    memory,
    counts,
    refusal,
    start,
    run,
    wait,
    calls: world.calls,
    /** Changes of all processes that wait, and the lease. */
    writer: () => memory.table.get(RouteWriter, { cellId: CELL }),
    /** Entries of the store, without the mark. */
    entries: shown,
    /** True if the store has what some of the changes make, from the first on, and no fewer than those that wait no longer. */
    isInOrder(): boolean {
      const all = asked();
      const pending = memory.items(RouteWriter.type).flatMap((item) => RouteWriter.parse(item).pending).length;
      const made: Entries = new Map();
      apply(made, all.slice(0, all.length - pending));
      const isSame = () => isDeepStrictEqual(Object.fromEntries(made), shown());
      return isSame() || all.slice(all.length - pending).some((change) => [apply(made, [change]), isSame()][1]);
    },
    /** Returns what the store has if all changes that were ever asked for are made in their order. */
    expected(): Record<string, string> {
      const all: Entries = new Map();
      apply(all, asked());
      return Object.fromEntries(all);
    },
  };
}
