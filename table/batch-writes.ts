import type { Item } from './attributes.ts';
import type { Send } from './table.ts';
import { backoffAfterConflict, MAX_CONFLICT_ATTEMPTS } from './transact.ts';

interface PutRequest {
  PutRequest: { Item: Item };
}
interface BatchWriteResponse {
  UnprocessedItems?: Record<string, PutRequest[]>;
}

/** Puts whole items in one request, each for itself. What a throttled partition leaves is sent again. */
export async function putAll(send: Send, TableName: string, items: readonly Item[]): Promise<void> {
  let left = items.map((Item): PutRequest => ({ PutRequest: { Item } }));
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const { UnprocessedItems } = await send<BatchWriteResponse>('BatchWriteItem', {
      RequestItems: { [TableName]: left },
    });
    left = UnprocessedItems?.[TableName] ?? [];
    if (left.length === 0) return;
    if (attempt === MAX_CONFLICT_ATTEMPTS)
      throw new Error(`The table left ${left.length} of ${items.length} items unwritten`);
    await backoffAfterConflict(attempt);
  }
}
