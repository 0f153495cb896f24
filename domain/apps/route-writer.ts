import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type HostRoutes, type RouteStore, StaleVersion } from '../../providers/edge/host-routes.ts';
import type { RouteChange } from '../../providers/edge/route-changes.ts';
import type { RouteWriter } from '../../table/entities/routes.ts';
import type { Timing } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import {
  acquireLease,
  enqueueChange,
  isLeaseFree,
  type PendingChange,
  readWriter,
  releaseLease,
} from './route-lease.ts';
import { currentChanges } from './route-owners.ts';

/**
 * Writes the routes of a cell, one caller at a time (docs/decisions/0081-one-route-writer.md). Changes are queued in the cell's item
 * of the table. The caller that holds the lease writes the queued changes of all processes as one update of the store. The other
 * callers wait until their change is written or the lease is free.
 *
 * An update that arrives late cannot undo another one, because the store accepts only updates whose changes are all still queued, in
 * their order:
 * - The holder reads the store's version first, then the lease and the queue together, then who claims the host names
 *   (domain/apps/route-owners.ts).
 * - Until its lease is taken over, no other caller removes changes from the queue.
 * - A caller that takes the lease over removes no changes before its own update. That update is marked, so that it creates a new
 *   version even if it changes no route, and the store refuses the earlier holder's update.
 */

const MAX_WAIT_MS = TIMEOUTS_S.hostRoutes * 1000;
/** Age in milliseconds at which the caller of a change has given up, allowing for differing clocks. */
const ABANDONED_MS = 2 * MAX_WAIT_MS;
/** Upper bound of the random pause before the second attempt, in milliseconds. It doubles with each attempt, up to the maximum. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1000;

const TIMING: Pick<Timing, 'random' | 'wait'> = {
  random: Math.random,
  wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
};

interface WriterContext {
  deps: Pick<Deps, 'table' | 'now' | 'newId'>;
  cellId: string;
  store: RouteStore;
  timing: typeof TIMING;
}

/** A change whose caller waits for it to be written. */
interface Submission extends WriterContext {
  change: PendingChange;
  /** Marks updates once an earlier update may still arrive: another caller's, or one of this submission that failed. */
  mark?: string;
}

/**
 * Returns the routes of a cell. A change rejects with the store's error, or after `TIMEOUTS_S.hostRoutes`. After that timeout it stays
 * queued, and the next holder of the lease writes it.
 */
export function createRouteWriter(
  deps: WriterContext['deps'],
  cellId: string,
  store: RouteStore,
  timing: typeof TIMING = TIMING,
): HostRoutes {
  const submit = async ({ hosts, ...rest }: RouteChange & { applicationId: string }): Promise<void> => {
    if (hosts.length === 0) return;
    const change = { ...rest, hosts: [...hosts], id: deps.newId('rch'), at: deps.now().toISOString() };
    await writeChange({ deps, cellId, store, timing, change });
  };
  return {
    point: (hosts, target, applicationId) => submit({ kind: 'point', hosts, target, applicationId }),
    pointIfUnset: (hosts, target, applicationId) => submit({ kind: 'pointIfUnset', hosts, target, applicationId }),
    suspend: (hosts, applicationId) => submit({ kind: 'suspend', hosts, applicationId }),
    resume: (hosts, applicationId) => submit({ kind: 'resume', hosts, applicationId }),
    remove: (hosts, applicationId) => submit({ kind: 'remove', hosts, applicationId }),
  };
}

const ageOf = ({ deps }: WriterContext, { at }: PendingChange): number => deps.now().getTime() - Date.parse(at);
const timedOut = () => new Error(`the routes could not be written within ${TIMEOUTS_S.hostRoutes} s`);

const pause = ({ timing }: WriterContext, attempt: number) =>
  timing.wait(timing.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS));

/** Queues a change and returns once it is in the store. A change leaves the queue when it is written, or when its caller has given up. */
async function writeChange(submission: Submission): Promise<void> {
  const { deps, cellId, change } = submission;
  let writer = await enqueueChange(deps, cellId, change);
  for (let polls = 1; ; ) {
    if (writer.holder === change.id) writer = await writePending(submission, writer);
    const isWritten = !writer.pending.some(({ id }) => id === change.id);
    if (ageOf(submission, change) > (isWritten ? ABANDONED_MS : MAX_WAIT_MS)) throw timedOut();
    if (isWritten) return;
    if (isLeaseFree(deps, writer)) {
      if (writer.holder !== undefined) submission.mark = change.id;
      writer = (await acquireLease(deps, writer, change.id)) ?? (await readWriter(deps, cellId));
    } else {
      await pause(submission, polls);
      polls += 1;
      writer = await readWriter(deps, cellId);
    }
  }
}

/**
 * Writes the queued changes, as many as fit into one update, and releases the lease.
 * @throws the store's error if it also refuses the caller's change alone, which then leaves the queue
 */
async function writePending(submission: Submission, seen: RouteWriter): Promise<RouteWriter> {
  const { deps, cellId, store, change } = submission;
  let writer = seen;
  // True once an update with all changes has failed: then only the caller's change is written, with those that it depends on.
  let isAlone = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // The order of these reads matters: see above.
      const version = await store.version();
      writer = await readWriter(deps, cellId);
      if (writer.holder !== change.id) return writer;
      const indexes = isAlone ? requiredFor(change, writer.pending) : [...writer.pending.keys()];
      const changes = await currentChanges(
        deps,
        indexes.flatMap((index) => writer.pending[index] ?? []),
      );
      const count = await store.update(version, changes, submission.mark);
      return await releaseLease(deps, writer, change.id, indexes.slice(0, count), true);
    } catch (error) {
      const isLate = ageOf(submission, change) > MAX_WAIT_MS;
      if (error instanceof StaleVersion) {
        if (isLate) return await giveUp(submission, writer, [], timedOut());
        await pause(submission, attempt);
        continue;
      }
      submission.mark = change.id;
      // Other callers' changes must not prevent this one.
      const hasOthers = requiredFor(change, writer.pending).length < writer.pending.length;
      if (isAlone || isLate || !hasOthers)
        return await giveUp(submission, writer, toDiscard(submission, writer.pending), error);
      isAlone = true;
    }
  }
}

/** Returns the indexes of a change and of the changes that must be written before it, because they affect the same host names. */
function requiredFor(change: PendingChange, pending: readonly PendingChange[]): number[] {
  const hosts = new Set(change.hosts);
  const indexes: number[] = [];
  let isReached = false;
  for (const [index, { id, hosts: affected }] of [...pending.entries()].reverse()) {
    isReached ||= id === change.id;
    if (!isReached || !affected.some((host) => hosts.has(host))) continue;
    for (const host of affected) hosts.add(host);
    indexes.unshift(index);
  }
  return indexes;
}

/** Returns the indexes of the changes to discard after the store refused them: the caller's own, and those whose callers have given up. */
const toDiscard = (submission: Submission, pending: readonly PendingChange[]): number[] =>
  [...pending.entries()].flatMap(([index, change]) =>
    change.id === submission.change.id || ageOf(submission, change) > ABANDONED_MS ? [index] : [],
  );

/** Discards changes, releases the lease as unsettled, and throws the reason. */
async function giveUp(
  { deps, change }: Submission,
  writer: RouteWriter,
  indexes: readonly number[],
  reason: unknown,
): Promise<never> {
  // If this fails too, the lease expires.
  await releaseLease(deps, writer, change.id, indexes, false).catch(() => undefined);
  throw reason;
}
