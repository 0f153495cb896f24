import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { artifactKey, CACHES, type CacheName, cacheKey, jobKey, logKey, resultKey } from './keys.ts';

/** A presigned request to the builds bucket: for one object and a limited time, without credentials. */
export interface SignedRequest {
  method: 'GET' | 'PUT' | 'DELETE';
  url: string;
  /** Headers that are part of the signature and must be sent. */
  headers: Record<string, string>;
}

/** A request to sign. */
export type ObjectGrant = Omit<SignedRequest, 'url'> & { key: string };

/** The requests that one build may make to the builds bucket. */
export interface BuildAccess {
  removeJob: SignedRequest;
  storeLog: SignedRequest;
  storeResult: SignedRequest;
  /** Succeeds only once. */
  storeArtifact: SignedRequest;
  caches: Record<CacheName, { read: SignedRequest; store: SignedRequest }>;
}

/**
 * Signs requests with a session whose permissions are limited to them, even if its credentials leak.
 * @param name of the session, for the audit trail
 * @param seconds lifetime of the signed requests
 */
export type SignGrants = (
  grants: readonly ObjectGrant[],
  session: { name: string; seconds: number },
) => Promise<SignedRequest[]>;

/** Creates the access of builds. */
export interface BuildAccessProvider {
  /** Returns the request that reads a build's job, and all other requests of the build, which the job contains. */
  grant(applicationId: string, deploymentId: string): Promise<{ readJob: SignedRequest; access: BuildAccess }>;
}

/** Requires that the object does not exist yet. The header is part of the signature: a request without it is refused. */
const ONCE = { 'if-none-match': '*' };

/** Creates the access of builds. The requests are valid for an hour (`TIMEOUTS_S.build.access`). */
export const createBuildAccess = (sign: SignGrants): BuildAccessProvider => ({
  async grant(applicationId, deploymentId) {
    const grant = (method: SignedRequest['method'], key: string, headers = {}): ObjectGrant => ({
      method,
      key,
      headers,
    });
    const grants = [
      grant('GET', jobKey(deploymentId)),
      grant('DELETE', jobKey(deploymentId)),
      grant('PUT', logKey(deploymentId)),
      grant('PUT', resultKey(deploymentId)),
      grant('PUT', artifactKey(applicationId, deploymentId), ONCE),
      ...CACHES.flatMap((name) => [
        grant('GET', cacheKey(applicationId, name)),
        grant('PUT', cacheKey(applicationId, name)),
      ]),
    ];
    const signed = await sign(grants, { name: deploymentId, seconds: TIMEOUTS_S.build.access });
    const at = (index: number): SignedRequest => {
      const found = signed[index];
      if (!found) throw new Error('A request of the build was not signed');
      return found;
    };
    const cache = (name: CacheName) => {
      const start = 5 + 2 * CACHES.indexOf(name);
      return { read: at(start), store: at(start + 1) };
    };
    return {
      readJob: at(0),
      access: {
        removeJob: at(1),
        storeLog: at(2),
        storeResult: at(3),
        storeArtifact: at(4),
        caches: { dependencies: cache('dependencies'), build: cache('build') },
      },
    };
  },
});
