import {
  CloudFrontKeyValueStoreClient,
  type CloudFrontKeyValueStoreClientConfig,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { tolerate } from '../aws-errors.ts';
import { sdkTimeouts } from '../aws-timeouts.ts';
import { countWithin, effectOf, keysOf, type RouteChange } from './route-changes.ts';
// CloudFront's store accepts only SigV4A signatures; importing the signer registers it with the SDK.
import '@aws-sdk/signature-v4a';

/** The route of a host name before its application's first release. */
export const PLACEHOLDER = 'placeholder';

/** Returns a route that follows the route of another host name (lib/edge-functions/route-app.js). */
export const aliasTo = (host: string): string => `@${host}`;

/**
 * Returns the route to a release. The edge uses the route in the cache key of static files (lib/edge-functions/route-app.js), so it must
 * change with every switch of releases. It includes the deployment because a rollback releases an earlier version again.
 * @param functionHost the host of the application's function URL
 */
export const routeTo = (functionHost: string, release: string, deploymentId: string): string =>
  `${functionHost} ${release}-${deploymentId.slice(-DEPLOYMENT_DIGITS)}`;
/** Random digits of a deployment's id that distinguish an application's deployments. The id is cut because the whole store holds 5 MB. */
const DEPLOYMENT_DIGITS = 7;

/**
 * The routes of host names at the edge. A change is in the store when its promise resolves, except for host names to which it no longer
 * applies: routes and suspensions are written while the application claims the host name, and removed once it releases it.
 */
export interface HostRoutes {
  /** Points host names to a target. @param target a release ({@link routeTo}), {@link PLACEHOLDER}, or an alias ({@link aliasTo}) */
  point(hosts: readonly string[], target: string, applicationId: string): Promise<void>;
  /** Points only those of the host names that have no route yet. */
  pointIfUnset(hosts: readonly string[], target: string, applicationId: string): Promise<void>;
  /** Serves the page of suspended applications under these host names. Their routes are kept. */
  suspend(hosts: readonly string[], applicationId: string): Promise<void>;
  /** Ends the suspension, so that the routes apply again. */
  resume(hosts: readonly string[], applicationId: string): Promise<void>;
  /** Removes the routes and suspensions of the host names. */
  remove(hosts: readonly string[], applicationId: string): Promise<void>;
}

/** Another update has changed the store since its version was read. */
export class StaleVersion extends Error {
  override readonly name = 'StaleVersion';
}

/** A store of routes with a single version for all routes: of several concurrent updates, only one succeeds. */
export interface RouteStore {
  /** Returns the current version. */
  version(): Promise<string>;
  /**
   * Applies changes in order, as many as fit into one update. Writes only values that differ.
   * @param version read before the changes were read, so that any update in between makes this one fail
   * @param mark a unique text. With a mark there is always an update and so a new version, even if no route changes.
   * @returns the number of changes applied
   * @throws {StaleVersion} if the store has another version. After any other error the changes may still be applied, even later.
   */
  update(version: string, changes: readonly RouteChange[], mark?: string): Promise<number>;
}

/** Maximum keys of one update (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html). */
const MAX_KEYS = 50;
/** The key of marks. It cannot be a host name, because it has no dot. */
const MARK_KEY = 'route-writer';

const isStale = (error: unknown) =>
  error instanceof Error &&
  (error.name === 'ConflictException' || /pre-?condition/i.test(`${error.name} ${error.message}`));

/** CloudFront KeyValueStore implementation. */
export function createRouteStore(KvsARN: string, access: CloudFrontKeyValueStoreClientConfig = {}): RouteStore {
  const client = new CloudFrontKeyValueStoreClient({ ...sdkTimeouts(TIMEOUTS_S.aws.attempt), ...access });

  const readRoute = async (Key: string): Promise<string | null> => {
    const answer = client.send(new GetKeyCommand({ KvsARN, Key }));
    return (await tolerate(answer, { ResourceNotFoundException: undefined }))?.Value ?? null;
  };

  return {
    async version() {
      const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN }));
      if (ETag === undefined) throw new Error('the route store returned no version');
      return ETag;
    },

    async update(IfMatch, changes, mark) {
      const count = countWithin(changes, MAX_KEYS - (mark === undefined ? 0 : 1));
      const applied = changes.slice(0, count);
      const keys = [...new Set(applied.flatMap(keysOf))];
      // The keys are read after the version, so a later change of them makes the update fail.
      const present = new Map(await Promise.all(keys.map(async (key) => [key, await readRoute(key)] as const)));
      const changed = [...effectOf(applied, present), ...(mark === undefined ? [] : [[MARK_KEY, mark] as const])];
      if (changed.length === 0) return count;
      const Puts = changed.flatMap(([Key, Value]) => (Value === null ? [] : [{ Key, Value }]));
      const Deletes = changed.flatMap(([Key, Value]) => (Value === null ? [{ Key }] : []));
      const input = { KvsARN, IfMatch, ...(Puts.length && { Puts }), ...(Deletes.length && { Deletes }) };
      try {
        await client.send(new UpdateKeysCommand(input));
      } catch (error) {
        throw isStale(error)
          ? new StaleVersion('the route store has changed in the meantime', { cause: error })
          : error;
      }
      return count;
    },
  };
}
