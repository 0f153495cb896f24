import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket, type BucketProps, StorageClass } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Names } from '../names.ts';
import { explainWildcards, policyOf, type Right } from './rights.ts';

/** Days until artifacts expire, both the originals and the copies. A release keeps working after its artifact has expired. */
export const ARTIFACT_DAYS = 730;
/**
 * Days for which deleted artifacts are kept: as long as the table can be restored to a time before the deletion
 * (docs/decisions/0072-users-and-code-after-a-restore.md).
 */
export const DELETED_ARTIFACT_DAYS = 35;

/**
 * Returns the settings that copy each artifact to the bucket in the backup region. Deletions are also copied, and deleted copies are kept for as
 * many days. Expiry is not copied, so the copies have their own expiry
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-what-is-isnot-replicated.html).
 */
export function copyArtifacts(
  scope: Construct,
  { builds, artifactCopies, artifactCopier }: Names,
): Pick<BucketProps, 'replicationRole' | 'replicationRules'> {
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/setting-repl-config-perm-overview.html
  const rights: Right[] = [
    { actions: ['s3:GetReplicationConfiguration', 's3:ListBucket'], on: [builds.arn] },
    {
      actions: ['s3:GetObjectVersionForReplication', 's3:GetObjectVersionAcl', 's3:GetObjectVersionTagging'],
      on: [`${builds.arn}/artifacts/*`],
      wildcard: 'artifacts are named after applications and deployments; the permission covers their folder',
    },
    {
      actions: ['s3:ReplicateObject', 's3:ReplicateDelete', 's3:ReplicateTags'],
      on: [`${artifactCopies.arn}/artifacts/*`],
      wildcard: 'copies have the names of the artifacts',
    },
  ];
  const replicationRole = new Role(scope, 'ArtifactCopier', {
    roleName: artifactCopier.name,
    description: 'S3: copies artifacts to the backup region',
    assumedBy: new ServicePrincipal('s3.amazonaws.com'),
    inlinePolicies: { needs: policyOf(rights) },
  });
  explainWildcards(replicationRole, rights);
  return {
    replicationRole,
    replicationRules: [
      {
        destination: Bucket.fromBucketArn(scope, 'ArtifactCopies', artifactCopies.arn),
        filter: { prefix: 'artifacts/' },
        deleteMarkerReplication: true,
        storageClass: StorageClass.INFREQUENT_ACCESS,
        priority: 1,
      },
    ],
  };
}
