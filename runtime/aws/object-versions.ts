import type { ObjectVersions } from '../../providers/builds/deleted-artifacts.ts';
import { OBJECT_TIMEOUT_MS, objectPath, requestS3, s3Error, withRetries } from './client.ts';

/** Objects of a bucket that keeps deleted ones for a while (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManagingDelMarkers.html). */

const send = (method: string, path: string, accepted: readonly number[]) =>
  withRetries(async () => {
    const response = await requestS3({ method, path, headers: {}, timeout: OBJECT_TIMEOUT_MS });
    if (!accepted.includes(response.status)) throw s3Error(response.status, response.body);
    return response;
  }, OBJECT_TIMEOUT_MS);

export const objectVersions: ObjectVersions = {
  async exists(bucket, key) {
    return (await send('HEAD', objectPath(bucket, key), [200, 404])).status === 200;
  },
  async listVersions(bucket, prefix) {
    const { body } = await send('GET', `/${bucket}?prefix=${encodeURIComponent(prefix)}&versions=`, [200]);
    return body.toString('utf8');
  },
  async removeVersion(bucket, key, versionId) {
    await send('DELETE', `${objectPath(bucket, key)}?versionId=${encodeURIComponent(versionId)}`, [204, 404]);
  },
};
