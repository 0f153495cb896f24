import { createHash } from 'node:crypto';
import { DynamoDbError, invalid } from './errors.ts';
import { apply, createProjection, itemId, type Prepared, prepare, type WriteKind } from './items.ts';
import type { Input } from './requests.ts';
import * as requests from './requests.ts';
import type { ItemStorage, Storage } from './storage.ts';
import { sizeOfItem } from './values.ts';

const MAX_ITEMS = 100;
const MAX_BYTES = 4 * 1024 * 1024;
/** Validity of a client's token. */
const TOKEN_MS = 10 * 60_000;
const KINDS: readonly WriteKind[] = ['Put', 'Update', 'Delete', 'ConditionCheck'];

interface Applied {
  digest: string;
  at: number;
}
export type Tokens = Map<string, Applied>;

const listOf = (input: Input): Input[] => {
  const { TransactItems } = input;
  if (!Array.isArray(TransactItems) || TransactItems.length === 0 || TransactItems.length > MAX_ITEMS)
    throw invalid(
      `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to ${MAX_ITEMS} and greater than or equal to 1`,
    );
  return TransactItems;
};

/**
 * Returns a function that stores the request's token; undefined if the same transaction has been applied with the token. Throws if
 * the token was used for a different request.
 */
function checkToken(tokens: Tokens, input: Input, now: number): (() => void) | undefined {
  const { ClientRequestToken, ...rest } = input;
  if (typeof ClientRequestToken !== 'string') return () => {};
  for (const [token, { at }] of tokens) {
    if (now - at < TOKEN_MS) break;
    tokens.delete(token);
  }
  const digest = createHash('sha256').update(JSON.stringify(rest)).digest('base64');
  const known = tokens.get(ClientRequestToken);
  if (known && known.digest !== digest)
    throw new DynamoDbError(
      'IdempotentParameterMismatchException',
      'The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical',
    );
  return known ? undefined : () => tokens.set(ClientRequestToken, { digest, at: now });
}

/** Applies all writes of a transaction, or none. */
export function transactWrite(storage: ItemStorage, tokens: Tokens, input: Input, now: number): object {
  const items = listOf(input);
  // Before the conditions: the first attempt may have made them false.
  const storeToken = checkToken(tokens, input, now);
  if (!storeToken) return {};
  const writes = items.map((each) => {
    const kinds = KINDS.filter((kind) => each[kind] !== undefined);
    const [kind] = kinds;
    if (!kind || kinds.length > 1) throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
    const request = requests.asMap(each[kind], kind);
    if (kind === 'ConditionCheck' && request.ConditionExpression === undefined)
      throw invalid('The ConditionExpression of a ConditionCheck is missing');
    return prepare(storage, kind, request);
  });
  if (new Set(writes.map(itemId)).size < writes.length)
    throw invalid('Transaction request cannot include multiple operations on one item');
  if (writes.reduce((sum, { after }) => sum + (after ? sizeOfItem(after) : 0), 0) > MAX_BYTES)
    throw invalid('Transaction size has exceeded the maximum allowed size');
  throwIfRefused(writes);
  storage.atomically(() => {
    for (const write of writes) apply(storage, write, now);
  });
  storeToken();
  const { ReturnConsumedCapacity } = input;
  if (ReturnConsumedCapacity === undefined || ReturnConsumedCapacity === 'NONE') return {};
  return {
    ConsumedCapacity: writes.map(({ table, units }) => requests.consumed(input, table, units * 2).ConsumedCapacity),
  };
}

function throwIfRefused(writes: readonly Prepared[]): void {
  if (writes.every(({ refused }) => !refused)) return;
  const reasons = writes.map(({ refused }) =>
    refused instanceof DynamoDbError
      ? { Code: 'ConditionalCheckFailed', Message: refused.message, ...refused.fields }
      : { Code: 'None' },
  );
  throw new DynamoDbError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    { CancellationReasons: reasons },
  );
}

/** Returns the response of TransactGetItems, as JSON. */
export function transactGet(storage: Storage, input: Input): string {
  const found = listOf(input).map(({ Get }) => {
    const request = requests.asMap(Get, 'Get');
    const table = storage.tableOf(requests.nameIn(request));
    const row = storage.get(table, requests.readKey(table, request.Key).key);
    return row ? `{"Item":${createProjection(request).show(row.body)}}` : '{}';
  });
  return `{"Responses":[${found.join(',')}]}`;
}
