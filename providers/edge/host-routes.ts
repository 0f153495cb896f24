import {
  CloudFrontKeyValueStoreClient,
  type CloudFrontKeyValueStoreClientConfig,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
// CloudFront's store takes SigV4A signatures only; the SDK finds the signer once it is imported.
import '@aws-sdk/signature-v4a';

/** The route of a host name before its application's first release. */
export const PLACEHOLDER = 'placeholder';

/** A route that leads wherever another host name does (lib/edge-functions/route-app.js). */
export const aliasTo = (host: string): string => `@${host}`;

/**
 * The route to a release. The edge caches static files by it (lib/edge-functions/route-app.js), so that each switch of releases
 * has files of its own: the deployment is part of it because a rollback releases an earlier version again.
 * @param functionHost the host of the application's function URL
 */
export const routeTo = (functionHost: string, release: string, deploymentId: string): string =>
  `${functionHost} ${release}-${deploymentId.slice(-DEPLOYMENT_DIGITS)}`;
/** Random digits of a deployment's id that tell the deployments of an application apart; the store holds 5 MB in all. */
const DEPLOYMENT_DIGITS = 7;

/** The entry that has a host name answer with the page of suspended applications, whatever its route is. */
const suspensionOf = (host: string): string => `suspended:${host}`;

/** Which host name leads where, at the edge. */
export interface HostRoutes {
  /** @param target a release ({@link routeTo}), {@link PLACEHOLDER}, or an alias ({@link aliasTo}) */
  point(hosts: readonly string[], target: string): Promise<void>;
  /** The same for those that lead nowhere yet; where one leads already, it stays. */
  pointIfUnset(hosts: readonly string[], target: string): Promise<void>;
  /** Serves the page of suspended applications under these host names; their routes stay. */
  suspend(hosts: readonly string[]): Promise<void>;
  /** Serves again what the routes name. */
  resume(hosts: readonly string[]): Promise<void>;
  /** Removes the routes, and whatever else is known of the host names. */
  remove(hosts: readonly string[]): Promise<void>;
}

/** Time for which writers retry against one another, in milliseconds. */
const MAX_WAIT_MS = TIMEOUTS_S.hostRoutes * 1000;
/** The longest wait between two tries, in milliseconds. */
const MAX_PAUSE_MS = 2000;
const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** Another writer was faster: the tag is not the store's any more. */
const isConcurrentUpdate = (error: unknown) =>
  error instanceof Error &&
  (error.name === 'ConflictException' || /pre-?condition/i.test(`${error.name} ${error.message}`));

/** A change of keys that one caller asks for. */
interface Change {
  keys: readonly string[];
  /** Returns the value that a key is to have; null for none. */
  next: (present: string | null) => string | null;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** The most keys that one update takes (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html). */
const MAX_KEYS = 50;

/**
 * CloudFront's KeyValueStore. Its one version tag stands for the whole store: of all processes that write at once, for
 * whatever application, one gets through, and the others try again. So each process writes one update at a time, of all
 * changes that wait, and nothing that is there already. A step that gave up would fail a deployment whose release is good.
 */
export function createHostRoutes(storeArn: string, access: CloudFrontKeyValueStoreClientConfig = {}): HostRoutes {
  const client = new CloudFrontKeyValueStoreClient(access);
  let waiting: Change[] = [];
  let isWriting = false;

  const readRoute = async (Key: string): Promise<string | null> => {
    try {
      return (await client.send(new GetKeyCommand({ KvsARN: storeArn, Key }))).Value ?? null;
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return null;
      throw error;
    }
  };

  /** Writes what changes want, in their order. Keys are read after the tag: what changes since makes the write try again. */
  async function tryWrite(changes: readonly Change[]): Promise<void> {
    const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }));
    const keys = [...new Set(changes.flatMap((change) => change.keys))];
    const present = new Map(await Promise.all(keys.map(async (key) => [key, await readRoute(key)] as const)));
    const after = new Map(present);
    for (const { keys: own, next } of changes) for (const key of own) after.set(key, next(after.get(key) ?? null));
    const changed = [...after].filter(([key, value]) => value !== present.get(key));
    if (changed.length === 0) return;
    const Puts = changed.flatMap(([Key, Value]) => (Value === null ? [] : [{ Key, Value }]));
    const Deletes = changed.flatMap(([Key, Value]) => (Value === null ? [{ Key }] : []));
    const command = {
      KvsARN: storeArn,
      IfMatch: ETag,
      ...(Puts.length && { Puts }),
      ...(Deletes.length && { Deletes }),
    };
    await client.send(new UpdateKeysCommand(command));
  }

  async function write(changes: readonly Change[]): Promise<void> {
    const givenUpAt = Date.now() + MAX_WAIT_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await tryWrite(changes);
      } catch (error) {
        if (!isConcurrentUpdate(error) || Date.now() > givenUpAt) throw error;
        await pause(Math.random() * Math.min(50 * 2 ** attempt, MAX_PAUSE_MS));
      }
    }
  }

  /** Takes the changes that wait, as many as one update holds. */
  function takeBatch(): Change[] {
    let keys = 0;
    const end = waiting.findIndex((change, index) => {
      keys += change.keys.length;
      return index > 0 && keys > MAX_KEYS;
    });
    const batch = waiting.slice(0, end === -1 ? waiting.length : end);
    waiting = waiting.slice(batch.length);
    return batch;
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    // Those of this moment come along.
    await pause(0);
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      await write(batch).then(
        () => batch.forEach(({ resolve }) => void resolve()),
        (error: unknown) => batch.forEach(({ reject }) => void reject(error)),
      );
    }
    isWriting = false;
  }

  const update = (keys: readonly string[], next: Change['next']): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ keys, next, resolve, reject });
      if (!isWriting) void writeAll();
    });

  return {
    point: (hosts, target) => update(hosts, () => target),
    pointIfUnset: (hosts, target) => update(hosts, (present) => present ?? target),
    suspend: (hosts) => update(hosts.map(suspensionOf), () => 'true'),
    resume: (hosts) => update(hosts.map(suspensionOf), () => null),
    remove: (hosts) => update([...hosts, ...hosts.map(suspensionOf)], () => null),
  };
}
