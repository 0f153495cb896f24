import { randomUUID } from 'node:crypto';
import type { Item } from './attributes.ts';
import { isOwnResult } from './own-writes.ts';
import { conditionFailure, followsLoss, isBusy, translateCancellation, translateRefusal } from './refusals.ts';
import type { Send } from './table.ts';
import type { Write } from './writes.ts';

/** The maximum number of attempts at a write that conflicts with transactions. */
export const MAX_CONFLICT_ATTEMPTS = 8;
/** Waits for a random time after the n-th conflict, up to 640 ms. */
export const backoffAfterConflict = (attempt: number) =>
  new Promise((done) => setTimeout(done, Math.random() * 10 * 2 ** Math.min(attempt, 6)));

/** Applies all writes or none, and only once even if responses are lost. Throws the error of the write whose condition failed. */
export async function transact(send: Send, TableName: string, writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return;
  const TransactItems = writes.map((write) => ({ [write.kind]: { TableName, ...write.input } }));
  // With the same token, a retry after a lost response does not apply the writes twice. A retry after a conflict needs a new token.
  let ClientRequestToken = randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send('TransactWriteItems', { TransactItems, ClientRequestToken });
      return;
    } catch (error) {
      const translated = translateCancellation(error, writes);
      if (translated instanceof Error) throw translated;
      if (attempt === MAX_CONFLICT_ATTEMPTS) throw error;
      // For `in progress`, the token stays: a transaction whose response was lost may still be applied.
      if (translated === 'retry') ClientRequestToken = randomUUID();
      await backoffAfterConflict(attempt);
    }
  }
}

/**
 * Applies a write outside a transaction and returns the requested attributes of the item. After a lost response the write may find its
 * own result, and then returns the whole item. Throws the error of a failed condition.
 */
export async function apply(
  send: Send,
  TableName: string,
  write: Write,
  returns: 'ALL_NEW' | 'UPDATED_NEW',
): Promise<Item | undefined> {
  if (write.kind === 'ConditionCheck') throw new Error('A check can only be part of a transaction');
  const operation = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' }[write.kind];
  const ReturnValues = write.kind === 'Update' ? { ReturnValues: returns } : {};
  const isConditional = write.input.ConditionExpression !== undefined;
  const Inspection = isConditional ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {};
  const input = { TableName, ...write.input, ...ReturnValues, ...Inspection };
  let isLost = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await send<{ Attributes?: Item }>(operation, input, { once: write.once })).Attributes;
    } catch (error) {
      isLost ||= followsLoss(error);
      const failure = isLost ? conditionFailure(error) : undefined;
      if (failure && isOwnResult(write, failure.stored)) return failure.stored;
      if (!isBusy(error) || attempt === MAX_CONFLICT_ATTEMPTS) throw translateRefusal(error, write);
      await backoffAfterConflict(attempt);
    }
  }
}
