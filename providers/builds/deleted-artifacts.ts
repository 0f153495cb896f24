import { artifactKey, environmentKey } from './keys.ts';

/** A versioned bucket, which keeps deleted objects for a while. */
export interface ObjectVersions {
  exists(bucket: string, key: string): Promise<boolean>;
  /** Returns S3's XML document with the first 1,000 versions of the objects whose keys begin with the prefix. */
  listVersions(bucket: string, prefix: string): Promise<string>;
  /** Deletes one version permanently. A missing version is not an error. */
  removeVersion(bucket: string, key: string, versionId: string): Promise<void>;
}

/** Deleted artifacts that the builds bucket still keeps. */
export interface DeletedArtifacts {
  /** Undeletes a deployment's artifact and variables. @returns false if the artifact is no longer kept */
  restore(applicationId: string, deploymentId: string): Promise<boolean>;
}

const textIn = (xml: string, element: string) => new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];

/**
 * Returns the ids of the delete markers that hide the newest version of an object; undefined if no version remains. S3 lists the versions
 * of a key newest first (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html).
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

/** Restores artifacts in the builds bucket, which keeps deleted objects for some weeks (lib/stacks/builds.ts). */
export function createDeletedArtifacts(objects: ObjectVersions, bucket: string): DeletedArtifacts {
  async function restore(key: string): Promise<boolean> {
    if (await objects.exists(bucket, key)) return true;
    const markers = markersBefore(await objects.listVersions(bucket, key), key);
    // The object reappears when its last marker is deleted, so an interrupted run can be repeated.
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
