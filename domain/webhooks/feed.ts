import { coalesce } from '../../contract/coalesce.ts';
import { invalidField } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { dataOf } from '../../contract/webhooks/events.ts';
import { cursorAt, type listEvents as ListRoute, positionOf } from '../../contract/webhooks/feed.ts';
import { Event, EventFeed, FEED_DAYS, FeedEntry, Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, create, createViaUpdate, type Write } from '../../table/writes.ts';
import { concurrentUpdate, contended, ignoreConflict, retryOnConflict } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { findSubscribers } from './fan-out.ts';

/**
 * The feed of an account: its events at consecutive positions. An event's position and the end of the feed are written in one
 * transaction, so a reader who has seen position 7 knows that no event will ever be added at or before it. Times could not
 * guarantee that, because a request that began earlier may commit later. A feed begins when it is first read: accounts that never
 * read their feed do not pay for its writes.
 */

/** Maximum number of events that one transaction appends: two writes per event, and one for the end of the feed. */
export const MAX_APPENDED = 20;

const isForFeed = (event: Event | undefined): event is Event =>
  event !== undefined && event.onlyTo === undefined && event.inFeed === undefined;

/** Returns the writes that append events after the position `last`. They also settle the events that go to no endpoint. */
function appendWrites(
  accountId: string,
  events: readonly Event[],
  webhooks: readonly Webhook[],
  last: number,
): Write[] {
  const position = last + events.length;
  const end = { set: { position }, when: { position: { is: last } } };
  return [
    contended(change(EventFeed, { accountId }, end, concurrentUpdate)),
    ...events.flatMap((event, index) => {
      const { id, type, created, data } = event;
      const remove = findSubscribers(event, webhooks).length > 0 ? [] : unschedule(Event);
      const appended = { set: { inFeed: true }, remove, when: { inFeed: 'absent' } } as const;
      return [
        create(FeedEntry, { accountId, position: last + index + 1, id, type, created, data }, concurrentUpdate),
        change(Event, { accountId, id }, appended, concurrentUpdate),
      ];
    }),
  ];
}

/** Appends events of one account, except events that are in the feed already and events for a single endpoint. */
async function appendForAccount(deps: Pick<Deps, 'table'>, accountId: string, given: readonly Event[]): Promise<void> {
  await retryOnConflict(
    async (attempt) => {
      // The stream's images may be stale: read the events again, so that a repeated batch appends nothing twice.
      const events =
        attempt === 1 ? given : await Promise.all(given.map(({ id }) => deps.table.get(Event, { accountId, id })));
      const missing = events.filter(isForFeed);
      if (missing.length === 0) return;
      const feed = await deps.table.get(EventFeed, { accountId });
      if (!feed) return;
      const webhooks = await deps.table.all(Webhook, webhooksOf(accountId));
      await deps.table.transact(appendWrites(accountId, missing, webhooks, feed.position));
    },
    { attempts: 20, maxMs: 10_000 },
  );
}

/** Appends events to the feeds of their accounts: at most {@link MAX_APPENDED} in one call. Idempotent. */
export async function appendToFeed(deps: Pick<Deps, 'table'>, events: readonly Event[]): Promise<void> {
  const byAccount = Map.groupBy(events, ({ accountId }) => accountId);
  await Promise.all(
    [...byAccount].map(([accountId, accountEvents]) => appendForAccount(deps, accountId, accountEvents)),
  );
}

/**
 * Returns a function that appends an event. Concurrent calls for one account share a transaction, because each transaction would
 * write the end of the same feed. If the shared transaction fails, each event is appended separately with its own result.
 */
export const joinAppends = (deps: Pick<Deps, 'table'>): ((event: Event) => Promise<void>) =>
  coalesce({
    max: MAX_APPENDED,
    groupOf: ({ accountId }) => accountId,
    async run(events) {
      await appendToFeed(deps, events);
      return events.map(() => undefined);
    },
    runAlone: (event) => appendToFeed(deps, [event]),
  });

/** Returns an event as its deliveries contain it. Its data is parsed, because the table does not keep the order of fields. */
const view = ({ id, type, created, data }: FeedEntry) => ({ id, type, created, data: dataOf(type, data) });

const unknownCursor = () => invalidField('after', 'is not a cursor of this account');
const expiredCursor = () =>
  invalidField(
    'after',
    `events after this cursor are more than ${FEED_DAYS} days old and no longer kept. Begin without after.`,
  );

/** Begins the feed of an account; of two concurrent calls, one does. @returns the end of the empty feed */
async function beginFeed({ table }: Deps, accountId: string): Promise<number> {
  const write = createViaUpdate(EventFeed, { accountId, position: 0 }, concurrentUpdate);
  await ignoreConflict(table.updateReturningChanged(write));
  return 0;
}

/** GET /v1/events: the events after a cursor, oldest first; without a cursor, the newest ones. Costs two round trips. */
export async function listEvents(
  deps: Deps,
  { accountId }: Caller,
  { after, limit }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const end = (await deps.table.get(EventFeed, { accountId }))?.position ?? (await beginFeed(deps, accountId));
  const start = after === undefined ? Math.max(0, end - limit) : positionOf(after);
  if (start > end) throw unknownCursor();
  const last = Math.min(end, start + limit);
  const positions = Array.from({ length: last - start }, (_, index) => start + index + 1);
  const entries = await Promise.all(positions.map((position) => deps.table.get(FeedEntry, { accountId, position })));
  const data = entries.flatMap((entry) => (entry ? [view(entry)] : []));
  if (after !== undefined && data.length < positions.length) throw expiredCursor();
  return { data, cursor: cursorAt(last), has_more: last < end };
}
