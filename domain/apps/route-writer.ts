import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type HostRoutes, type RouteStore, StaleVersion } from '../../providers/edge/host-routes.ts';
import type { RouteChange } from '../../providers/edge/route-changes.ts';
import type { RouteWriter } from '../../table/entities/routes.ts';
import type { Timing } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { isLeaseFree, joinWriter, leaveWriter, type Pending, readWriter, takeLease } from './route-lease.ts';

/**
 * Writes the routes of a cell, one caller at a time (docs/decisions/0081-one-route-writer.md). A change waits in the cell's item
 * of the table; the caller that has the lease writes what waits, of all processes, as one update of the store. The others wait
 * until theirs is made, or until the lease is free.
 *
 * A late update undoes nothing: one that the store accepts is made of changes that all still wait, in their order. A holder reads
 * the store's version, then its lease and the changes together; until its lease is taken over, no other caller removes changes, and
 * one that takes it over removes none before an update of its own, which is marked, and so makes a new version even where no
 * route changes.
 */

const MAX_WAIT_MS = TIMEOUTS_S.hostRoutes * 1000;
/** The caller of a change of this age has given up, even by another clock. */
const ABANDONED_MS = 2 * MAX_WAIT_MS;
/** Pauses between two tries: the first is at most this, in milliseconds, and each may be twice as long as the one before. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1000;

const TIMING: Pick<Timing, 'random' | 'wait'> = {
  random: Math.random,
  wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
};

interface Place {
  deps: Pick<Deps, 'table' | 'now' | 'newId'>;
  cellId: string;
  store: RouteStore;
  timing: typeof TIMING;
}

/** A change whose caller waits. */
interface Call extends Place {
  own: Pending;
  /** Marks updates, once an earlier one may still arrive: another caller's, or one of this call that failed. */
  mark?: string;
}

/**
 * Returns the routes of a cell. A change is rejected with the store's error, and after `TIMEOUTS_S.hostRoutes` in any case; one
 * that waits then is made by the next writer all the same.
 */
export function createRouteWriter(
  deps: Place['deps'],
  cellId: string,
  store: RouteStore,
  timing: typeof TIMING = TIMING,
): HostRoutes {
  const make = async ({ hosts, ...change }: RouteChange): Promise<void> => {
    if (hosts.length === 0) return;
    const own = { ...change, hosts: [...hosts], id: deps.newId('rch'), at: deps.now().toISOString() };
    await makeChange({ deps, cellId, store, timing, own });
  };
  return {
    point: (hosts, target) => make({ kind: 'point', hosts, target }),
    pointIfUnset: (hosts, target) => make({ kind: 'pointIfUnset', hosts, target }),
    suspend: (hosts) => make({ kind: 'suspend', hosts }),
    resume: (hosts) => make({ kind: 'resume', hosts }),
    remove: (hosts) => make({ kind: 'remove', hosts }),
  };
}

const ageOf = ({ deps }: Place, { at }: Pending): number => deps.now().getTime() - Date.parse(at);
const tooLate = () => new Error(`the routes could not be written within ${TIMEOUTS_S.hostRoutes} s`);

const pause = ({ timing }: Place, attempt: number) =>
  timing.wait(timing.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS));

/** Returns once a change is in the store: a change leaves those that wait when it is there, or when its caller has gone. */
async function makeChange(call: Call): Promise<void> {
  const { deps, cellId, own } = call;
  let writer = await joinWriter(deps, cellId, own);
  for (let looks = 1; ; ) {
    if (writer.holder === own.id) writer = await writePending(call, writer);
    const isMade = !writer.pending.some(({ id }) => id === own.id);
    if (ageOf(call, own) > (isMade ? ABANDONED_MS : MAX_WAIT_MS)) throw tooLate();
    if (isMade) return;
    if (isLeaseFree(deps, writer)) {
      if (writer.holder !== undefined) call.mark = own.id;
      writer = (await takeLease(deps, writer, own.id)) ?? (await readWriter(deps, cellId));
    } else {
      await pause(call, looks);
      looks += 1;
      writer = await readWriter(deps, cellId);
    }
  }
}

/**
 * Makes the changes that wait, as many as fit into one update, and gives the lease back.
 * @throws the store's error, if it refuses the caller's own change too: that one then waits no longer
 */
async function writePending(call: Call, seen: RouteWriter): Promise<RouteWriter> {
  const { deps, cellId, store, own } = call;
  let writer = seen;
  let isAlone = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // In this order: see above.
      const version = await store.version();
      writer = await readWriter(deps, cellId);
      if (writer.holder !== own.id) return writer;
      const places = isAlone ? neededFor(own, writer.pending) : [...writer.pending.keys()];
      const changes = places.flatMap((place) => writer.pending[place] ?? []);
      const count = await store.update(version, changes, call.mark);
      return await leaveWriter(deps, writer, own.id, places.slice(0, count), true);
    } catch (error) {
      const isLate = ageOf(call, own) > MAX_WAIT_MS;
      if (error instanceof StaleVersion) {
        if (isLate) return await giveUp(call, writer, [], tooLate());
        await pause(call, attempt);
        continue;
      }
      call.mark = own.id;
      // What others want must not keep the caller's own change from being made.
      const hasCompany = neededFor(own, writer.pending).length < writer.pending.length;
      if (isAlone || isLate || !hasCompany) return await giveUp(call, writer, refused(call, writer.pending), error);
      isAlone = true;
    }
  }
}

/** Returns the places of a change and of those before it that must be made first, because they are about the same host names. */
function neededFor(own: Pending, pending: readonly Pending[]): number[] {
  const hosts = new Set(own.hosts);
  const places: number[] = [];
  let isBefore = false;
  for (const [place, { id, hosts: theirs }] of [...pending.entries()].reverse()) {
    isBefore ||= id === own.id;
    if (!isBefore || !theirs.some((host) => hosts.has(host))) continue;
    for (const host of theirs) hosts.add(host);
    places.unshift(place);
  }
  return places;
}

/** Returns the places of what waits no longer after the store has refused it: the caller's own, and what has no caller any more. */
const refused = (call: Call, pending: readonly Pending[]): number[] =>
  [...pending.entries()].flatMap(([place, change]) =>
    change.id === call.own.id || ageOf(call, change) > ABANDONED_MS ? [place] : [],
  );

async function giveUp(
  { deps, own }: Call,
  writer: RouteWriter,
  places: readonly number[],
  reason: unknown,
): Promise<never> {
  // Where this fails as well, the lease ends with its time.
  await leaveWriter(deps, writer, own.id, places, false).catch(() => undefined);
  throw reason;
}
