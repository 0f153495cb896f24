import * as z from 'zod/mini';
import { entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** A change of routes, as data (providers/edge/route-changes.ts). */
const pendingChange = () =>
  object({
    id: z.string(),
    kind: oneOf(['point', 'pointIfUnset', 'suspend', 'resume', 'remove']),
    hosts: z.array(z.string()),
    /** The application that claims the host names. Absent in changes of older versions of the platform. */
    applicationId: z.optional(z.string()),
    target: z.optional(z.string()),
    /** The time of the request for the change. */
    at: z.string(),
  });

/**
 * The single writer of a cell's store of routes (domain/apps/route-writer.ts): the lease of the process that writes, and the queue of
 * changes. They share one item, so that changes are queued in the order of the writes, and each read returns both consistently.
 */
export type RouteWriter = ItemOf<typeof RouteWriter>;
export const RouteWriter = /* @__PURE__ */ entity({
  type: 'ROUTE_WRITER',
  schema: () =>
    z.object({
      cellId: z.string(),
      pending: z.array(pendingChange()),
      /** The change whose caller holds the lease; absent once the lease was released with all updates settled. */
      holder: z.optional(z.string()),
      /** The time after which another caller may take over. */
      leaseUntil: z.optional(z.string()),
    }),
  key: ({ cellId }: { cellId: string }) => ({ pk: key('CELL', cellId, 'ROUTE_WRITER'), sk: 'ROUTE_WRITER' }),
});
