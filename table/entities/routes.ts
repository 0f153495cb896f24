import * as z from 'zod/mini';
import { entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** A change of where host names lead, as data (providers/edge/route-changes.ts). */
const pendingChange = () =>
  object({
    id: z.string(),
    kind: oneOf(['point', 'pointIfUnset', 'suspend', 'resume', 'remove']),
    hosts: z.array(z.string()),
    target: z.optional(z.string()),
    /** The time at which it was asked for. */
    at: z.string(),
  });

/**
 * The one writer of a cell's store of routes (domain/apps/route-writer.ts): the lease of the process that writes, and the changes
 * that wait. One item, so that the order of changes is the order of its writes, and each read shows lease and changes of one moment.
 */
export type RouteWriter = ItemOf<typeof RouteWriter>;
export const RouteWriter = /* @__PURE__ */ entity({
  type: 'ROUTE_WRITER',
  schema: () =>
    z.object({
      cellId: z.string(),
      pending: z.array(pendingChange()),
      /** The change whose caller writes; absent once it has written all that it began. */
      holder: z.optional(z.string()),
      /** The time from which on another caller may take over, whatever became of the holder. */
      leaseUntil: z.optional(z.string()),
    }),
  key: ({ cellId }: { cellId: string }) => ({ pk: key('CELL', cellId, 'ROUTE_WRITER'), sk: 'ROUTE_WRITER' }),
});
