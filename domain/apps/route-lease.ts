import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { RouteWriter } from '../../table/entities/routes.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, upsert } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { timestampAfter } from '../time.ts';

/**
 * The item of a cell's route writer: changes in their order, and the lease (docs/decisions/0081-one-route-writer.md). Each change
 * of it is one write without a transaction, so that writers do not conflict.
 */

/** A change that waits. */
export type Pending = RouteWriter['pending'][number];

type LeaseDeps = Pick<Deps, 'table' | 'now'>;

/** Time after which a holder is taken for dead, in milliseconds. */
const LEASE_MS = TIMEOUTS_S.routeLease * 1000;
/** Stands for a holder that has gone, and whose last update may still arrive. */
const GONE = { holder: 'GONE', leaseUntil: new Date(0).toISOString() };

const leaseOf = ({ now }: LeaseDeps, holder: string) => ({
  holder,
  leaseUntil: timestampAfter(now(), LEASE_MS),
});

const written = (writer: RouteWriter | undefined, cellId: string): RouteWriter => writer ?? { cellId, pending: [] };

/** Reads the lease, and the changes that wait, of one moment. */
export const readWriter = async ({ table }: LeaseDeps, cellId: string): Promise<RouteWriter> =>
  written(await table.get(RouteWriter, { cellId }), cellId);

/** Has a change wait behind all others, and takes the lease if it was given back. One write. */
export async function joinWriter(deps: LeaseDeps, cellId: string, own: Pending): Promise<RouteWriter> {
  const what = {
    set: { cellId },
    append: { pending: [own] },
    setOnce: leaseOf(deps, own.id),
  };
  return written(await deps.table.write(RouteWriter, upsert(RouteWriter, { cellId }, what)), cellId);
}

/** True where a caller may take the lease: it was given back, or its holder has had its time. */
export const isLeaseFree = ({ now }: LeaseDeps, { holder, leaseUntil = '' }: RouteWriter): boolean =>
  holder === undefined || leaseUntil <= now().toISOString();

/** Takes the lease as it was seen. @returns undefined where another caller was first */
export async function takeLease(
  deps: LeaseDeps,
  { cellId, holder, leaseUntil }: RouteWriter,
  id: string,
): Promise<RouteWriter | undefined> {
  const when = {
    holder: unchanged(holder),
    leaseUntil: unchanged(leaseUntil),
  } as const;
  const write = change(RouteWriter, { cellId }, { set: leaseOf(deps, id), when }, concurrentUpdate);
  return await ignoreConflict(deps.table.write(RouteWriter, write));
}

/**
 * Removes changes and ends the lease; does nothing where it was taken over. Until then only the holder removes changes, so that
 * their places stay what it has read.
 * @param places of the changes to remove, from 0
 * @param isSettled false if an update of the holder may still arrive: the next one then must mark its own
 */
export async function leaveWriter(
  deps: LeaseDeps,
  { cellId }: RouteWriter,
  id: string,
  places: readonly number[],
  isSettled: boolean,
): Promise<RouteWriter> {
  const write = change(
    RouteWriter,
    { cellId },
    {
      ...(isSettled ? { remove: ['holder', 'leaseUntil'] } : { set: GONE }),
      removeAt: { pending: places },
      // No longer true afterwards: a repetition removes nothing more.
      when: { holder: { is: id } },
    },
    concurrentUpdate,
  );
  return (await ignoreConflict(deps.table.write(RouteWriter, write))) ?? (await readWriter(deps, cellId));
}
