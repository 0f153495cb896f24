import aws4 from 'aws4';
import type { ObjectGrant, SignedRequest } from '../../providers/builds/access.ts';
import { config, endpointFor } from '../config.ts';
import { assumeRole } from './assume-role.ts';
import { objectPath } from './objects.ts';

const ACTIONS: Record<SignedRequest['method'], string> = {
  GET: 's3:GetObject',
  PUT: 's3:PutObject',
  DELETE: 's3:DeleteObject',
};

/** Returns the policy of a session that may send only these requests. */
function sessionPolicy(bucket: string, grants: readonly ObjectGrant[]): string {
  const Statement = (['GET', 'PUT', 'DELETE'] as const).flatMap((method) => {
    const keys = grants.filter((grant) => grant.method === method).map(({ key }) => key);
    const Resource = keys.map((key) => `arn:aws:s3:::${bucket}/${key}`);
    return keys.length > 0 ? [{ Effect: 'Allow', Action: ACTIONS[method], Resource }] : [];
  });
  return JSON.stringify({ Version: '2012-10-17', Statement });
}

/**
 * Signs requests to objects of a bucket with a new session of a role, which may send only these requests. A signed request is valid
 * only as long as its session. It is not signed with the function's own credentials, because they may be about to expire.
 */
export async function presign(
  bucket: string,
  grants: readonly ObjectGrant[],
  { roleArn, name, seconds }: { roleArn: string; name: string; seconds: number },
): Promise<SignedRequest[]> {
  const credentials = await assumeRole({ roleArn, name, seconds, policy: sessionPolicy(bucket, grants) });
  const endpoint = endpointFor('s3');
  return grants.map(({ method, key, headers }) => {
    const path = `${objectPath(bucket, key)}?X-Amz-Expires=${seconds}`;
    const request = { service: 's3', region: config.AWS_REGION, host: endpoint.host, method, path, signQuery: true };
    const signed = aws4.sign({ ...request, headers: { ...headers } }, credentials);
    return { method, headers, url: new URL(signed.path ?? '', endpoint).href };
  });
}
