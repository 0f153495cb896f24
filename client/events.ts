import type { Client } from './client.ts';
import type { WebhookEvent } from './operations.generated.ts';
import { wait } from './request.ts';

export interface FollowOptions {
  /** Begins after this cursor; with what happens from now on where not given. */
  after?: string | undefined;
  /** Milliseconds between two requests while nothing happens; 2,000 where not given. */
  intervalMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** An event, and the cursor with which {@link followEvents} continues after it and those that came with it. */
export interface FollowedEvent {
  event: WebhookEvent;
  cursor: string;
}

const DEFAULT_INTERVAL_MS = 2000;
const PAGE = 100;

/**
 * Follows the events of the account as they happen, in order, each once. Goes on until `signal` aborts or an error is thrown that
 * the client's retries did not overcome; continue then with the last cursor. `onCursor` is told where it stands, also before the
 * first event.
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
    const page = await client.listEvents({ after: cursor, limit: PAGE }, { signal });
    cursor = page.cursor;
    for (const event of page.data) yield { event: event as WebhookEvent, cursor };
    onCursor(cursor);
    if (!page.has_more) await wait(intervalMs, signal);
  }
}
