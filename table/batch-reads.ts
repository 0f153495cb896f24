import { type Batch, coalesce } from '../contract/coalesce.ts';
import { fromItem, type Item } from './attributes.ts';
import type { Send, SendPolicy } from './table.ts';

interface GetRequest {
  TableName: string;
  Key: Item;
}
interface GetResponse {
  Item?: Item;
}
interface BatchGetResponse {
  Responses?: Record<string, Item[]>;
  UnprocessedKeys?: Record<string, { Keys: Item[] }>;
}

/** The maximum number of keys in one BatchGetItem. */
const MAX_KEYS = 100;

const keyText = (item: Item): string => {
  const { pk, sk } = fromItem(item);
  return JSON.stringify([pk, sk]);
};

/**
 * Combines concurrent GetItem calls into one BatchGetItem, and concurrent equal queries into one. For functions that process a batch,
 * in which ten items at a time may read the same endpoint. All other operations are passed through unchanged.
 */
export function batchReads(send: Send): Send {
  const getItem = ({ TableName, Key }: GetRequest) =>
    send<GetResponse>('GetItem', { TableName, Key, ConsistentRead: true });

  async function getItems(requests: Batch<GetRequest>): Promise<(GetResponse | Promise<GetResponse>)[]> {
    const [{ TableName }] = requests;
    if (requests.length === 1) return requests.map(getItem);
    const Keys = requests.map(({ Key }) => Key);
    const { Responses, UnprocessedKeys } = await send<BatchGetResponse>('BatchGetItem', {
      RequestItems: { [TableName]: { Keys, ConsistentRead: true } },
    });
    const found = new Map((Responses?.[TableName] ?? []).map((item) => [keyText(item), item]));
    // Unprocessed keys (more than 16 MB, or a throttled partition) are read individually.
    const unprocessed = new Set((UnprocessedKeys?.[TableName]?.Keys ?? []).map(keyText));
    return requests.map((request) => {
      const item = found.get(keyText(request.Key));
      if (unprocessed.has(keyText(request.Key))) return getItem(request);
      return item ? { Item: item } : {};
    });
  }

  const get = coalesce({ max: MAX_KEYS, identityOf: ({ Key }: GetRequest) => keyText(Key), run: getItems });
  /** Only callers that ask before the query is sent share it, so that each reads everything written before its call. */
  const query = coalesce({
    identityOf: (input: object) => JSON.stringify(input),
    run: (inputs) => inputs.map((input) => send('Query', input)),
  });

  return <Output>(operation: string, input: object, policy?: SendPolicy): Promise<Output> => {
    if (operation === 'Query') return query(input) as Promise<Output>;
    if (operation !== 'GetItem' || !('Key' in input) || !('TableName' in input)) return send(operation, input, policy);
    return get(input as GetRequest) as Promise<Output>;
  };
}
