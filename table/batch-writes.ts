import type { Item } from './attributes.ts';
import type { Send } from './table.ts';
import { backoffAfterConflict, MAX_CONFLICT_ATTEMPTS } from './transact.ts';

interface PutRequest {
  PutRequest: { Item: Item };
}
interface BatchWriteResponse {
  UnprocessedItems?: Record<string, PutRequest[]>;
}

/** The time in milliseconds after which no further attempt starts, so that callers can rely on the duration of a write. */
const MAX_RETRY_MS = 5000;

/**
 * Puts items in one request, each independently. Retries items that a throttled partition did not accept for
 * {@link MAX_RETRY_MS}, and then throws.
 */
export async function putAll(send: Send, TableName: string, items: readonly Item[]): Promise<void> {
  const until = performance.now() + MAX_RETRY_MS;
  let pending = items.map((Item): PutRequest => ({ PutRequest: { Item } }));
  for (let attempt = 1; pending.length > 0; attempt += 1) {
    const { UnprocessedItems } = await send<BatchWriteResponse>('BatchWriteItem', {
      RequestItems: { [TableName]: pending },
    });
    pending = UnprocessedItems?.[TableName] ?? [];
    if (pending.length === 0) return;
    if (attempt === MAX_CONFLICT_ATTEMPTS || performance.now() > until)
      throw new Error(`The table left ${pending.length} of ${items.length} items unwritten`);
    await backoffAfterConflict(attempt);
  }
}
