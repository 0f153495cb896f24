import type { ObjectVersions } from '../../providers/builds/deleted-artifacts.ts';
import { objectPath, sendS3 } from './objects.ts';

/** Objects of a bucket with versions, which keeps deleted objects (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManagingDelMarkers.html). */

export const objectVersions: ObjectVersions = {
  async exists(bucket, key) {
    return (await sendS3('HEAD', objectPath(bucket, key), { accepted: [200, 404] })).status === 200;
  },
  async listVersions(bucket, prefix) {
    const { body } = await sendS3('GET', `/${bucket}?prefix=${encodeURIComponent(prefix)}&versions=`);
    return body.toString('utf8');
  },
  async removeVersion(bucket, key, versionId) {
    await sendS3('DELETE', `${objectPath(bucket, key)}?versionId=${encodeURIComponent(versionId)}`, {
      accepted: [204, 404],
    });
  },
};
