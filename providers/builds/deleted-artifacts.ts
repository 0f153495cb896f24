import { artifactKey, environmentKey } from './keys.ts';

/** A bucket that keeps deleted objects for a while. */
export interface ObjectVersions {
  exists(bucket: string, key: string): Promise<boolean>;
  /** Returns the first 1,000 versions of the objects whose keys begin with this, as S3's document. */
  listVersions(bucket: string, prefix: string): Promise<string>;
  /** Deletes one version for good. One that is not there is no error. */
  removeVersion(bucket: string, key: string, versionId: string): Promise<void>;
}

/** Artifacts that were deleted, as long as the builds bucket keeps them. */
export interface DeletedArtifacts {
  /** Undeletes what a deployment packaged, with its variables. @returns false if it is no longer kept */
  restore(applicationId: string, deploymentId: string): Promise<boolean>;
}

const textIn = (xml: string, element: string) => new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];

/**
 * Returns the delete markers that hide the newest version of an object; undefined where no version is left. S3 lists the versions of a
 * key newest first (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html).
 */
function markersBefore(document: string, key: string): string[] | undefined {
  const markers: string[] = [];
  for (const [, kind, entry = ''] of document.matchAll(/<(Version|DeleteMarker)>([\s\S]*?)<\/\1>/g)) {
    if (textIn(entry, 'Key') !== key) continue;
    if (kind === 'Version') return markers;
    markers.push(textIn(entry, 'VersionId') ?? '');
  }
  return undefined;
}

/** The artifacts in the builds bucket, whose deleted objects stay for some weeks (lib/stacks/builds.ts). */
export function createDeletedArtifacts(objects: ObjectVersions, bucket: string): DeletedArtifacts {
  async function restore(key: string): Promise<boolean> {
    if (await objects.exists(bucket, key)) return true;
    const markers = markersBefore(await objects.listVersions(bucket, key), key);
    // The object appears with the last of them, so a run that dies is repeated.
    for (const versionId of markers ?? []) await objects.removeVersion(bucket, key, versionId);
    return markers !== undefined;
  }
  return {
    async restore(applicationId, deploymentId) {
      // A release without variables has none to restore.
      await restore(environmentKey(applicationId, deploymentId));
      return await restore(artifactKey(applicationId, deploymentId));
    },
  };
}
