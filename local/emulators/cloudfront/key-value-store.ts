import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { openState } from '../state.ts';
import { STRICT_TIMES } from '../strict.ts';
import {
  type Emulator,
  type EmulatorOptions,
  parse,
  ServiceError,
  serve,
  type WireRequest,
  type WireResponse,
} from '../wire.ts';

export interface KeyValueStoreOptions extends EmulatorOptions {
  /** ARNs of the existing stores; any other ARN is refused. */
  stores: readonly string[];
}

export interface KeyValueStore extends Emulator {
  /** Returns the value of a key in a store, as the store's edge functions read it. */
  lookup(store: string, key: string): string | undefined;
}

const Store = z.object({ version: z.number(), modified: z.number(), items: z.record(z.string(), z.string()) });
type Store = z.output<typeof Store>;
const Put = z.object({ Value: z.string() });
const Update = z.object({
  Puts: z.array(z.object({ Key: z.string().min(1), Value: z.string() })).default([]),
  Deletes: z.array(z.object({ Key: z.string().min(1) })).default([]),
});

/**
 * Starts an emulator of the CloudFront KeyValueStore data API. The ETag versions the whole store, so writers of
 * different keys conflict too. A stale ETag is a ValidationException, and deleting a missing key succeeds; both were
 * measured on AWS and differ from its documentation.
 *
 * The SDK puts the account id before the endpoint's host: `http://localhost:port` becomes
 * `http://<account>.localhost:port`, which the caller must be able to resolve (local/emulators/localhost-names.ts).
 */
export async function startKeyValueStore({
  dataDir,
  port,
  stores,
  strict,
}: KeyValueStoreOptions): Promise<KeyValueStore> {
  const state = openState(join(dataDir, 'key-value-stores.json'), z.record(z.string(), Store), {});
  for (const arn of stores) state.value[arn] ??= { version: 1, modified: Date.now(), items: {} };

  const find = (arn: string): Store => {
    const store = state.value[arn];
    if (!store) throw new ServiceError('ResourceNotFoundException', `The key value store ${arn} does not exist.`, 404);
    return store;
  };

  const write = async (
    arn: string,
    request: WireRequest,
    change: (items: Store['items']) => void,
  ): Promise<WireResponse> => {
    if (strict) await sleep(STRICT_TIMES.keyValueStoreWrite);
    const store = find(arn);
    if (request.headers['if-match'] !== etag(arn, store)) {
      throw new ServiceError('ValidationException', 'Pre-Condition failed during update of Key-Value-Store');
    }
    const items = { ...store.items };
    change(items);
    if (JSON.stringify(store.items) !== JSON.stringify(items)) {
      assertSizes(items);
      store.items = items;
      store.version += 1;
      store.modified = Date.now();
      state.save();
    }
    return { headers: { etag: etag(arn, store) }, body: size(store) };
  };

  const handleRequest = async (request: WireRequest): Promise<WireResponse> => {
    const [arn = '', collection, key] = request.path.split('/').slice(2).map(decodeURIComponent);
    const route = `${request.method} ${collection ?? ''}${key === undefined ? '' : '/key'}`;
    switch (route) {
      case 'GET ': {
        const store = find(arn);
        const modified = store.modified / 1000;
        const body = { KvsARN: arn, Status: 'READY', Created: modified, LastModified: modified, ...size(store) };
        return { headers: { etag: etag(arn, store) }, body };
      }
      case 'GET keys':
        return { body: page(find(arn), request.query) };
      case 'POST keys': {
        const { Puts, Deletes } = parse(Update, request.body);
        const limit = AWS_LIMITS.keyValueStoreUpdateKeys.value;
        if (Puts.length + Deletes.length > limit)
          throw new ServiceError('ValidationException', `An update has at most ${limit} keys.`);
        return write(arn, request, (items) => {
          for (const { Key } of Deletes) delete items[Key];
          for (const { Key, Value } of Puts) items[Key] = Value;
        });
      }
      case 'GET keys/key': {
        const store = find(arn);
        const value = key === undefined ? undefined : store.items[key];
        if (value === undefined) throw new ServiceError('ResourceNotFoundException', `Key ${key} does not exist.`, 404);
        return { body: { Key: key, Value: value, ...size(store) } };
      }
      case 'PUT keys/key': {
        const { Value } = parse(Put, request.body);
        return write(arn, request, (items) => {
          items[String(key)] = Value;
        });
      }
      case 'DELETE keys/key':
        return write(arn, request, (items) => {
          delete items[String(key)];
        });
      default:
        throw new ServiceError('UnknownOperationException', `${request.method} ${request.path}`, 404);
    }
  };

  const emulator = await serve(port, 'application/json', handleRequest);
  return {
    ...emulator,
    url: `http://localhost:${emulator.port}`,
    lookup: (arn, key) => {
      const { items = {} } = state.value[arn] ?? {};
      return Object.hasOwn(items, key) ? items[key] : undefined;
    },
  };
}

/** Throws if a key, a value or the whole store exceeds CloudFront's limits. */
function assertSizes(items: Store['items']): void {
  const { keyValueStoreKeyBytes, keyValueStoreValueBytes, keyValueStoreBytes } = AWS_LIMITS;
  for (const [key, value] of Object.entries(items)) {
    if (
      Buffer.byteLength(key) > keyValueStoreKeyBytes.value ||
      Buffer.byteLength(value) > keyValueStoreValueBytes.value
    )
      throw new ServiceError('ValidationException', `The key ${key.slice(0, 50)} or its value is too long.`);
  }
  if (sizeOf(items) > keyValueStoreBytes.value)
    throw new ServiceError('ServiceQuotaExceededException', 'The key value store is full.', 402);
}

const sizeOf = (items: Store['items']): number =>
  Object.entries(items).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);

const etag = (arn: string, store: Store) =>
  `KV${createHash('sha256').update(`${arn} ${store.version}`).digest('hex').slice(0, 11).toUpperCase()}`;

const size = ({ items }: Store) => ({
  ItemCount: Object.keys(items).length,
  TotalSizeInBytes: sizeOf(items),
});

/** Returns a page of keys. The token is the last key of the previous page. */
function page({ items }: Store, query: URLSearchParams) {
  const limit = Math.min(Number(query.get('MaxResults') ?? 10), 50);
  const after = query.get('NextToken') ?? '';
  const keys = Object.keys(items)
    .sort()
    .filter((key) => key > after);
  const pageKeys = keys.slice(0, limit);
  return {
    Items: pageKeys.map((key) => ({ Key: key, Value: items[key] })),
    ...(keys.length > limit ? { NextToken: pageKeys.at(-1) } : {}),
  };
}
