import { fromItem, type Item } from './attributes.ts';
import type { Send, SendPolicy } from './table.ts';

interface PendingRead {
  key: Item;
  resolve: (answer: { Item?: Item }) => void;
  reject: (error: unknown) => void;
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
  let waiting = new Map<string, PendingRead[]>();
  const queries = new Map<string, Promise<unknown>>();

  /** Sends a query that others may share who ask the same before it is sent: so all of them read what was written before. */
  function shareQuery(input: object): Promise<unknown> {
    const text = JSON.stringify(input);
    const known = queries.get(text);
    if (known) return known;
    const answer = new Promise((resolve) => setImmediate(resolve)).then(() => {
      queries.delete(text);
      return send('Query', input);
    });
    queries.set(text, answer);
    return answer;
  }

  async function readBatch(TableName: string, asked: readonly PendingRead[][]): Promise<void> {
    const keys = asked.flatMap(([first]) => (first ? [first.key] : []));
    const request = { RequestItems: { [TableName]: { Keys: keys, ConsistentRead: true } } };
    const { Responses, UnprocessedKeys } = await send<BatchGetResponse>('BatchGetItem', request);
    const found = new Map((Responses?.[TableName] ?? []).map((item) => [keyText(item), item]));
    // What there was no room for (16 MB, or a throttled partition) is read one by one.
    const left = new Set((UnprocessedKeys?.[TableName]?.Keys ?? []).map(keyText));
    for (const all of asked) {
      const [first] = all;
      if (!first) continue;
      const item = found.get(keyText(first.key));
      if (left.has(keyText(first.key))) readOne(TableName, all);
      else for (const each of all) each.resolve(item ? { Item: item } : {});
    }
  }

  function readOne(TableName: string, all: readonly PendingRead[]): void {
    const [first] = all;
    if (!first) return;
    send<{ Item?: Item }>('GetItem', { TableName, Key: first.key, ConsistentRead: true }).then(
      (answer) => all.forEach(({ resolve }) => void resolve(answer)),
      (error: unknown) => all.forEach(({ reject }) => void reject(error)),
    );
  }

  function flush(TableName: string): void {
    const all = [...waiting.values()];
    waiting = new Map();
    for (let from = 0; from < all.length; from += MAX_KEYS) {
      const batch = all.slice(from, from + MAX_KEYS);
      const [only] = batch;
      if (batch.length === 1 && only) readOne(TableName, only);
      else {
        readBatch(TableName, batch).catch((error: unknown) => {
          for (const { reject } of batch.flat()) reject(error);
        });
      }
    }
  }

  return <Output>(operation: string, input: object, policy?: SendPolicy): Promise<Output> => {
    if (operation === 'Query') return shareQuery(input) as Promise<Output>;
    if (operation !== 'GetItem' || !('Key' in input) || !('TableName' in input)) return send(operation, input, policy);
    const { TableName, Key } = input;
    return new Promise<unknown>((resolve, reject) => {
      const key = Key as Item;
      if (waiting.size === 0) setImmediate(() => flush(String(TableName)));
      const name = keyText(key);
      waiting.set(name, [...(waiting.get(name) ?? []), { key, resolve, reject }]);
    }) as Promise<Output>;
  };
}
