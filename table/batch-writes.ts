import type { Item } from './attributes.ts';
import type { Send } from './table.ts';
import { backoffAfterConflict, MAX_CONFLICT_ATTEMPTS } from './transact.ts';

interface PutRequest {
  PutRequest: { Item: Item };
}
interface BatchWriteResponse {
  UnprocessedItems?: Record<string, PutRequest[]>;
}

/** No attempt begins later than this after the first, in milliseconds: callers count on the end of a write. */
const MAX_MS = 5000;

/** Puts whole items in one request, each for itself. What a throttled partition leaves is sent again for some seconds. */
export async function putAll(send: Send, TableName: string, items: readonly Item[]): Promise<void> {
  const until = performance.now() + MAX_MS;
  let left = items.map((Item): PutRequest => ({ PutRequest: { Item } }));
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const { UnprocessedItems } = await send<BatchWriteResponse>('BatchWriteItem', {
      RequestItems: { [TableName]: left },
    });
    left = UnprocessedItems?.[TableName] ?? [];
    if (left.length === 0) return;
    if (attempt === MAX_CONFLICT_ATTEMPTS || performance.now() > until)
      throw new Error(`The table left ${left.length} of ${items.length} items unwritten`);
    await backoffAfterConflict(attempt);
  }
}
