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

/** The most keys that one BatchGetItem accepts. */
const MAX_KEYS = 100;

const keyText = (item: Item): string => {
  const { pk, sk } = fromItem(item);
  return JSON.stringify([pk, sk]);
};

/**
 * Makes one round trip of the reads that are asked for at the same moment, each key and each query once: for functions that work
 * on a batch, where ten at a time look the same endpoint up. Everything else goes through as it is.
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
    // What there was no room for (16 MB, or a throttled partition) is read one by one.
    const left = new Set((UnprocessedKeys?.[TableName]?.Keys ?? []).map(keyText));
    return requests.map((request) => {
      const item = found.get(keyText(request.Key));
      if (left.has(keyText(request.Key))) return getItem(request);
      return item ? { Item: item } : {};
    });
  }

  const get = coalesce({ max: MAX_KEYS, identityOf: ({ Key }: GetRequest) => keyText(Key), run: getItems });
  /** Those who ask the same before it is sent share a query: so all of them read what was written before. */
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
