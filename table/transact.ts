import { randomUUID } from 'node:crypto';
import { translateCancellation } from './refusals.ts';
import type { Send } from './table.ts';
import type { Write } from './writes.ts';

/** Attempts at a write that collides with transactions. */
export const MAX_CONFLICT_ATTEMPTS = 8;
/** Waits a random while after the n-th collision, up to 640 ms. */
export const backoffAfterConflict = (attempt: number) =>
  new Promise((done) => setTimeout(done, Math.random() * 10 * 2 ** Math.min(attempt, 6)));

/** Makes all of the writes or none, once, however often their answer is lost. Throws the error of the write whose condition failed. */
export async function transact(send: Send, TableName: string, writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return;
  const TransactItems = writes.map((write) => ({ [write.kind]: { TableName, ...write.input } }));
  // A token per try: a repeat after a lost answer changes nothing twice, and a retry after a conflict is a new try.
  let ClientRequestToken = randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send('TransactWriteItems', { TransactItems, ClientRequestToken });
      return;
    } catch (error) {
      const meaning = translateCancellation(error, writes);
      if (meaning instanceof Error) throw meaning;
      if (attempt === MAX_CONFLICT_ATTEMPTS) throw error;
      // One whose answer was lost is still being made: a new try would make it twice.
      if (meaning === 'retry') ClientRequestToken = randomUUID();
      await backoffAfterConflict(attempt);
    }
  }
}
