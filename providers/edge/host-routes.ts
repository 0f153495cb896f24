import {
  CloudFrontKeyValueStoreClient,
  type CloudFrontKeyValueStoreClientConfig,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { isAwsError } from '../aws-errors.ts';
import { countWithin, effectOf, keysOf, type RouteChange } from './route-changes.ts';
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

/** Which host name leads where, at the edge. Each change is in the store once its promise is fulfilled. */
export interface HostRoutes {
  /** @param target a release ({@link routeTo}), {@link PLACEHOLDER}, or an alias ({@link aliasTo}) */
  point(hosts: readonly string[], target: string): Promise<void>;
  /** Points those host names to a target that have no route yet. */
  pointIfUnset(hosts: readonly string[], target: string): Promise<void>;
  /** Serves the page of suspended applications under these host names; their routes stay. */
  suspend(hosts: readonly string[]): Promise<void>;
  /** Serves again what the routes name. */
  resume(hosts: readonly string[]): Promise<void>;
  /** Removes the routes, and whatever else is known of the host names. */
  remove(hosts: readonly string[]): Promise<void>;
}

/** Another update changed the store since its version was read. */
export class StaleVersion extends Error {
  override readonly name = 'StaleVersion';
}

/** A store of routes, whose one version stands for all of it: of several updates at once, one gets through. */
export interface RouteStore {
  /** Returns the version of this moment. */
  version(): Promise<string>;
  /**
   * Makes changes in their order, as many as fit into one update, and writes nothing that is there already.
   * @param version read before the changes were: an update since then has this one refused
   * @param mark a text that no other update has: with it there is an update, and so a new version, even where no route changes
   * @returns the number of changes that are made
   * @throws {StaleVersion} if the store has another version; after any other error they may be made, also later on
   */
  update(version: string, changes: readonly RouteChange[], mark?: string): Promise<number>;
}

/** The most keys that one update takes (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html). */
const MAX_KEYS = 50;
/** The key of marks. No visitor's host name is one without a dot. */
const MARK_KEY = 'route-writer';

const isStale = (error: unknown) =>
  error instanceof Error &&
  (error.name === 'ConflictException' || /pre-?condition/i.test(`${error.name} ${error.message}`));

/** CloudFront's KeyValueStore. */
export function createRouteStore(KvsARN: string, access: CloudFrontKeyValueStoreClientConfig = {}): RouteStore {
  const client = new CloudFrontKeyValueStoreClient(access);

  const readRoute = async (Key: string): Promise<string | null> => {
    try {
      return (await client.send(new GetKeyCommand({ KvsARN, Key }))).Value ?? null;
    } catch (error) {
      if (isAwsError(error, 'ResourceNotFoundException')) return null;
      throw error;
    }
  };

  return {
    async version() {
      const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN }));
      if (ETag === undefined) throw new Error('the store of routes has no version');
      return ETag;
    },

    async update(IfMatch, changes, mark) {
      const count = countWithin(changes, MAX_KEYS - (mark === undefined ? 0 : 1));
      const taken = changes.slice(0, count);
      const keys = [...new Set(taken.flatMap(keysOf))];
      // Keys are read after the version: what changes since has the update refused.
      const present = new Map(await Promise.all(keys.map(async (key) => [key, await readRoute(key)] as const)));
      const changed = [...effectOf(taken, present), ...(mark === undefined ? [] : [[MARK_KEY, mark] as const])];
      if (changed.length === 0) return count;
      const Puts = changed.flatMap(([Key, Value]) => (Value === null ? [] : [{ Key, Value }]));
      const Deletes = changed.flatMap(([Key, Value]) => (Value === null ? [{ Key }] : []));
      const input = { KvsARN, IfMatch, ...(Puts.length && { Puts }), ...(Deletes.length && { Deletes }) };
      try {
        await client.send(new UpdateKeysCommand(input));
      } catch (error) {
        throw isStale(error) ? new StaleVersion('the store of routes changed meanwhile', { cause: error }) : error;
      }
      return count;
    },
  };
}
