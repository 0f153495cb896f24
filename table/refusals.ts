import { fromItem, type Item } from './attributes.ts';
import type { Write } from './writes.ts';

/** An error of DynamoDB. */
interface DynamoDbError extends Error {
  detail?: { Item?: Item; CancellationReasons?: { Code?: string; Item?: Item }[] };
  /** True if an earlier attempt of the same request may have been carried out. */
  afterLostResponse?: boolean;
}

/** Returns the item whose condition failed, if the write requested it. */
const failedItem = (item: Item | undefined): unknown => item && fromItem(item);

/** Returns true for a write of an item that is part of a transaction in progress. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TransactionConflictException';

/** Names of errors, and codes of cancelled transactions, of requests beyond the capacity of an item, a table or an account. */
const THROTTLED = /Throttl|ThroughputExceeded|RequestLimitExceeded/;
/** Returns true for the error of a request that DynamoDB throttled. */
export const isThrottling = (error: unknown): boolean => error instanceof Error && THROTTLED.test(error.name);

/** Names of other errors of requests that a busy service did not carry out. */
const TEMPORARY = /Transaction(?:Canceled|Conflict|InProgress)|TimeoutError/;
/** Returns true for the error of a request that may be repeated later. */
export const isTemporary = (error: unknown): boolean =>
  isThrottling(error) || (error instanceof Error && TEMPORARY.test(error.name));

/** Returns true for the error of a request whose earlier attempt may have been carried out. */
export const followsLoss = (error: unknown): boolean =>
  error instanceof Error && (error as DynamoDbError).afterLostResponse === true;

/** Returns the error of a write whose condition failed, with the stored item if the write requested it; undefined for other errors. */
export function conditionFailure(error: unknown): { stored: Item | undefined } | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') return undefined;
  const { detail }: DynamoDbError = error;
  return { stored: detail?.Item };
}

/** Translates the error of a write whose condition failed to the write's own error. Returns other errors unchanged. */
export function translateRefusal(error: unknown, { input, onConditionFailed }: Write): unknown {
  const failure = conditionFailure(error);
  if (!failure) return error;
  return onConditionFailed(input.ReturnValuesOnConditionCheckFailure ? failedItem(failure.stored) : undefined);
}

/**
 * Translates the error of a transaction: to the error of the write whose condition failed, to `retry` for a conflict with another
 * transaction, or to `in progress` if an earlier request with the same token started it. Returns other errors unchanged.
 */
export function translateCancellation(error: unknown, writes: readonly Write[]): Error | 'retry' | 'in progress' {
  if (!(error instanceof Error)) return new Error(String(error));
  const { name, detail }: DynamoDbError = error;
  if (name === 'TransactionInProgressException') return 'in progress';
  if (name !== 'TransactionCanceledException') return error;
  const codes = (detail?.CancellationReasons ?? []).map((reason) => reason.Code);
  const failed = codes.indexOf('ConditionalCheckFailed');
  if (failed >= 0)
    return writes[failed]?.onConditionFailed(failedItem(detail?.CancellationReasons?.[failed]?.Item)) ?? error;
  const conflicting = writes.find((write, at) => write.onConflict && codes[at] === 'TransactionConflict');
  if (conflicting?.onConflict) return conflicting.onConflict();
  return codes.some((code = '') => code === 'TransactionConflict' || THROTTLED.test(code)) ? 'retry' : error;
}
