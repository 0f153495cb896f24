import type { Client } from './client.ts';
import type { WebhookEvent } from './operations.generated.ts';
import { wait } from './request.ts';

export interface FollowOptions {
  /** The cursor after which to start. Default: only new events. */
  after?: string | undefined;
  /** Milliseconds between two requests while there are no events. Default: 2,000. */
  intervalMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** An event, and the cursor with which {@link followEvents} continues after the event's page. */
export interface FollowedEvent {
  event: WebhookEvent;
  cursor: string;
}

const DEFAULT_INTERVAL_MS = 2000;
const PAGE_SIZE = 100;

/**
 * Follows the events of the account as they happen, in order, each once. It ends when `signal` aborts, or with an error that the
 * client's retries did not overcome; you can then continue with the last cursor. `onCursor` is called with every new cursor, and once
 * before the first event.
 *
 *     for await (const { event, cursor } of followEvents(client)) console.log(event.type, event.data);
 */
export async function* followEvents(
  client: Pick<Client, 'listEvents'>,
  { after, intervalMs = DEFAULT_INTERVAL_MS, signal }: FollowOptions = {},
  onCursor: (cursor: string) => void = () => undefined,
): AsyncGenerator<FollowedEvent, void, undefined> {
  let cursor = after ?? (await client.listEvents({ limit: 1 }, { signal })).cursor;
  onCursor(cursor);
  for (;;) {
    const page = await client.listEvents({ after: cursor, limit: PAGE_SIZE }, { signal });
    cursor = page.cursor;
    for (const event of page.data) yield { event: event as WebhookEvent, cursor };
    onCursor(cursor);
    if (!page.has_more) await wait(intervalMs, signal);
  }
}
