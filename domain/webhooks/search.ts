import type { Input, Output } from '../../contract/route.ts';
import {
  DELIVERY_RANGES,
  type listDeliveries as DeliveriesRoute,
  type getDeliveryStats as StatsRoute,
} from '../../contract/webhooks/management.ts';
import { Delivery, deliveriesOf, deliveryOrder } from '../../table/entities/webhooks.ts';
import { joinKey } from '../../table/keys.ts';
import type { Caller, Deps } from '../deps.ts';
import { type FilteredPage, readPage } from '../pages.ts';
import { percentile } from '../percentile.ts';
import { attemptCount, durationsOf } from './attempts.ts';
import { findWebhook } from './endpoints.ts';

/** Maximum number of deliveries that one request reads: a few megabytes. */
const MAX_READ = 2000;
/** Deliveries read in one round trip. */
const PAGE_SIZE = 200;

type Filter = Pick<Input<typeof DeliveriesRoute>, 'status' | 'type' | 'from' | 'to'>;

/** Yields an endpoint's deliveries before a position, created at `from` or later, newest first. */
async function* newestDeliveries(deps: Pick<Deps, 'table'>, webhookId: string, before: string | undefined, from = '') {
  let cursor = before;
  for (;;) {
    const { items, hasMore } = await deps.table.list(Delivery, deliveriesOf(webhookId), {
      limit: PAGE_SIZE,
      offset: 0,
      cursor,
    });
    for (const item of items) {
      if (item.createdAt < from) return;
      yield item;
    }
    const last = items.at(-1);
    if (!hasMore || !last) return;
    cursor = deliveryOrder(last);
  }
}

/** Returns a page of an endpoint's deliveries. It has a cursor if it ended before it was full, because the filter excluded too many. */
export async function findDeliveries(
  deps: Pick<Deps, 'table'>,
  webhookId: string,
  { status, type, from, to }: Filter,
  page: { limit: number; offset: number; cursor: string | undefined },
): Promise<FilteredPage<Delivery>> {
  const filters = [status, type, from, to];
  if (filters.every((filter) => filter === undefined)) return deps.table.list(Delivery, deliveriesOf(webhookId), page);
  const { cursor } = page;
  const end = to === undefined ? undefined : joinKey(to);
  const before = cursor !== undefined && end !== undefined ? (cursor < end ? cursor : end) : (cursor ?? end);
  return await readPage(newestDeliveries(deps, webhookId, before, from), page, {
    isWanted: (delivery) => (!status || delivery.status === status) && (!type || delivery.type === type),
    maxRead: MAX_READ,
  });
}

/** GET /dashboard/v1/webhooks/{id}/stats: aggregated from the deliveries, so that an attempt costs no additional write. */
export async function readDeliveryStats(
  deps: Deps,
  caller: Caller,
  { id, range }: Input<typeof StatsRoute>,
): Promise<Output<typeof StatsRoute>> {
  await findWebhook(deps, caller, id);
  const { periodS, periods } = DELIVERY_RANGES[range];
  const periodMs = periodS * 1000;
  const start = (Math.floor(deps.now().getTime() / periodMs) + 1 - periods) * periodMs;
  const from = new Date(start).toISOString();
  const points = Array.from({ length: periods }, (_, index) => ({
    at: new Date(start + index * periodMs).toISOString(),
    deliveries: 0,
    failed: 0,
    pending: 0,
    attempts: 0,
  }));
  const counts = { DELIVERED: 0, FAILED: 0, SKIPPED: 0, PENDING: 0 };
  const durations: number[] = [];
  let attempts = 0;
  let nextAttemptAt: string | null = null;
  let read = 0;
  for await (const delivery of newestDeliveries(deps, id, undefined, from)) {
    if (read === MAX_READ) break;
    read += 1;
    const { status, createdAt } = delivery;
    counts[status] += 1;
    attempts += attemptCount(delivery);
    durations.push(...durationsOf(delivery));
    const due = status === 'PENDING' ? delivery.nextAttemptAt : null;
    if (due !== null && (nextAttemptAt === null || due < nextAttemptAt)) nextAttemptAt = due;
    const point = points[Math.floor((Date.parse(createdAt) - start) / periodMs)];
    if (!point) continue;
    point.deliveries += 1;
    point.failed += Number(status === 'FAILED' || status === 'SKIPPED');
    point.pending += Number(status === 'PENDING');
    point.attempts += attemptCount(delivery);
  }
  return {
    data: {
      range,
      from,
      periodSeconds: periodS,
      points,
      nextAttemptAt,
      complete: read < MAX_READ,
      totals: {
        delivered: counts.DELIVERED,
        failed: counts.FAILED,
        skipped: counts.SKIPPED,
        pending: counts.PENDING,
        attempts,
        p50Ms: percentile(durations, 0.5),
        p95Ms: percentile(durations, 0.95),
      },
    },
  };
}
