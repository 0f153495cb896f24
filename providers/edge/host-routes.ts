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

/** The entry that has a host name answer with the page of suspended applications, whatever its route is. */
const suspensionOf = (host: string): string => `suspended:${host}`;

/** Which host name leads where, at the edge. */
export interface HostRoutes {
  /** @param target the host of the application's function URL, {@link PLACEHOLDER}, or an alias ({@link aliasTo}) */
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
const keysOf = (keys: readonly string[]) => keys.map((Key) => ({ Key }));
const routeTo = (hosts: readonly string[], Value: string) => hosts.map((Key) => ({ Key, Value }));
const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** Another writer was faster: the tag is not the store's any more. */
const isConcurrentUpdate = (error: unknown) =>
  error instanceof Error &&
  (error.name === 'ConflictException' || /pre-?condition/i.test(`${error.name} ${error.message}`));

/**
 * CloudFront's KeyValueStore. Its one version tag stands for the whole store: of all who write at once, for whatever
 * application, one gets through, and the others try again. A step that gave up would fail a deployment whose release is good.
 */
export function createHostRoutes(storeArn: string, access: CloudFrontKeyValueStoreClientConfig = {}): HostRoutes {
  const client = new CloudFrontKeyValueStoreClient(access);

  const readRoute = async (Key: string): Promise<string | undefined> => {
    try {
      return (await client.send(new GetKeyCommand({ KvsARN: storeArn, Key }))).Value;
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  };

  /**
   * Writes nothing that is there already: the store takes few writes a second.
   * @param only which of the puts are meant, asked after the tag: what has changed since makes the write try again
   */
  async function update(
    puts: { Key: string; Value: string }[],
    Deletes: { Key: string }[],
    only: (present: string | undefined, value: string) => boolean = (present, value) => present !== value,
  ): Promise<void> {
    const givenUpAt = Date.now() + MAX_WAIT_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }));
        const present = await Promise.all(puts.map(({ Key }) => readRoute(Key)));
        const Puts = puts.filter(({ Value }, index) => only(present[index], Value));
        if (Puts.length + Deletes.length === 0) return;
        const command = {
          KvsARN: storeArn,
          IfMatch: ETag,
          ...(Puts.length ? { Puts } : {}),
          ...(Deletes.length ? { Deletes } : {}),
        };
        await client.send(new UpdateKeysCommand(command));
        return;
      } catch (error) {
        if (!isConcurrentUpdate(error) || Date.now() > givenUpAt) throw error;
        await pause(Math.random() * Math.min(50 * 2 ** attempt, MAX_PAUSE_MS));
      }
    }
  }

  return {
    point: (hosts, target) => update(routeTo(hosts, target), []),
    pointIfUnset: (hosts, target) => update(routeTo(hosts, target), [], (present) => present === undefined),
    suspend: (hosts) => update(routeTo(hosts.map(suspensionOf), 'true'), []),
    resume: (hosts) => update([], keysOf(hosts.map(suspensionOf))),
    remove: (hosts) => update([], keysOf([...hosts, ...hosts.map(suspensionOf)])),
  };
}
