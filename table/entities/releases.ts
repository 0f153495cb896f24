import * as z from 'zod/mini';
import { DAY, entity, epoch, type ItemOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/**
 * A deployment that waits until its cell admits its release (domain/deployments/release-queue.ts). Ids sort by time, so the
 * partition is in order of arrival.
 */
export type QueuedRelease = ItemOf<typeof QueuedRelease>;
export const QueuedRelease = /* @__PURE__ */ entity({
  type: 'QUEUED_RELEASE',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      cellId: z.string(),
      /** The last time at which its execution requested admission. */
      seenAt: z.string(),
      /** The time of its admission, which its execution has not seen yet. */
      admittedAt: z.optional(z.string()),
    }),
  key: ({ cellId, id }: { cellId: string; id: string }) => ({ pk: queuedReleasesOf(cellId), sk: id }),
  expiresAtEpoch: ({ seenAt }) => epoch(seenAt) + DAY,
});

/** The partition of a cell's {@link QueuedRelease}s. */
export const queuedReleasesOf = (cellId: string): string => key('CELL', cellId, 'QUEUED_RELEASES');

/** The pace at which a cell accepts releases: a token bucket of requests to its host (domain/deployments/release-pace.ts). */
export type ReleasePace = ItemOf<typeof ReleasePace>;
export const ReleasePace = /* @__PURE__ */ entity({
  type: 'RELEASE_PACE',
  schema: () =>
    z.object({
      cellId: z.string(),
      version: z.int(),
      /** The number of requests that could be made immediately at the time `at`. */
      tokens: z.number(),
      at: z.string(),
      /** The rate after the host last throttled requests, in requests per second; absent if it never did. */
      slowed: z.optional(z.looseObject({ rate: z.number(), at: z.string() })),
      /** The accounts of the latest releases, the newest last. */
      recent: z.array(z.string()),
    }),
  key: ({ cellId }: { cellId: string }) => ({ pk: key('CELL', cellId, 'RELEASE_PACE'), sk: 'RELEASE_PACE' }),
});
