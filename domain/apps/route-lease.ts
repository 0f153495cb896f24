import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { RouteWriter } from '../../table/entities/routes.ts';
import { unchanged } from '../../table/expressions.ts';
import { upsert } from '../../table/writes.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { timestampAfter } from '../time.ts';

/**
 * The item of a cell's route writer: the queue of route changes, and the lease (docs/decisions/0081-one-route-writer.md). Each
 * operation on it is a single write without a transaction, so that callers do not conflict.
 */

/** A queued change. */
export type PendingChange = RouteWriter['pending'][number];

type LeaseDeps = Pick<Deps, 'table' | 'now'>;

/** Duration of a lease, in milliseconds. After it, another caller may take over. */
const LEASE_MS = TIMEOUTS_S.routeLease * 1000;
/** Holder and end of a lease that was released while an update of its holder may still arrive. */
const RELEASED_UNSETTLED = { holder: 'GONE', leaseUntil: new Date(0).toISOString() };

const newLease = ({ now }: LeaseDeps, holder: string) => ({
  holder,
  leaseUntil: timestampAfter(now(), LEASE_MS),
});

const orEmpty = (writer: RouteWriter | undefined, cellId: string): RouteWriter => writer ?? { cellId, pending: [] };

/** Reads the lease and the queued changes consistently. */
export const readWriter = async ({ table }: LeaseDeps, cellId: string): Promise<RouteWriter> =>
  orEmpty(await table.get(RouteWriter, { cellId }), cellId);

/** Appends a change to the queue, and acquires the lease if it is released. One write. */
export async function enqueueChange(
  deps: LeaseDeps,
  cellId: string,
  pendingChange: PendingChange,
): Promise<RouteWriter> {
  const update = {
    set: { cellId },
    append: { pending: [pendingChange] },
    setOnce: newLease(deps, pendingChange.id),
  };
  return orEmpty(await deps.table.write(RouteWriter, upsert(RouteWriter, { cellId }, update)), cellId);
}

/** True if a caller may acquire the lease: it was released or has expired. */
export const isLeaseFree = ({ now }: LeaseDeps, { holder, leaseUntil = '' }: RouteWriter): boolean =>
  holder === undefined || leaseUntil <= now().toISOString();

/** Acquires the lease if it is as the caller read it. @returns undefined if another caller was first */
export async function acquireLease(
  deps: LeaseDeps,
  { cellId, holder, leaseUntil }: RouteWriter,
  id: string,
): Promise<RouteWriter | undefined> {
  const when = {
    holder: unchanged(holder),
    leaseUntil: unchanged(leaseUntil),
  } as const;
  return await tryChange(deps, RouteWriter, { cellId }, { set: newLease(deps, id), when });
}

/**
 * Removes changes and releases the lease; does nothing if another caller has taken it over. Only the holder removes changes, so that
 * the indexes that it read stay valid.
 * @param indexes the indexes of the changes to remove
 * @param isSettled false if an update of the holder may still arrive: the next holder must then mark its update
 */
export async function releaseLease(
  deps: LeaseDeps,
  { cellId }: RouteWriter,
  id: string,
  indexes: readonly number[],
  isSettled: boolean,
): Promise<RouteWriter> {
  const released = {
    ...(isSettled ? { remove: ['holder', 'leaseUntil'] } : { set: RELEASED_UNSETTLED }),
    removeAt: { pending: indexes },
    // No longer holds after the write, so that repeating it removes nothing more.
    when: { holder: { is: id } },
  };
  return (await tryChange(deps, RouteWriter, { cellId }, released)) ?? (await readWriter(deps, cellId));
}
