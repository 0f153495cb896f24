import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { ARTIFACT_DAYS, DELETED_ARTIFACT_DAYS } from '../constructs/artifact-copies.ts';
import { PRIVATE_BUCKET } from '../constructs/private-bucket.ts';
import { dataRemoval } from '../constructs/retention.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** Days for which a copy is kept: the same as for point-in-time recovery, so that deleted data disappears from both at the same time. */
const COPY_DAYS = 35;
/** Days for which the source backup of a copy is kept. The region itself has point-in-time recovery. */
const SOURCE_DAYS = 3;
/** AWS Backup's managed policies: for backups and copies, and for restores. */
const RIGHTS = ['ForBackup', 'ForRestores'].map((suffix) => `service-role/AWSBackupServiceRolePolicy${suffix}`);

/**
 * The vault with the copies of the table and the bucket with the copies of artifacts, in the region of the setting `backupRegion`. In a
 * protected stage, no principal may delete a copy of the table early.
 */
export class BackupCopiesStack extends PlatformStack {
  constructor(platform: Platform, region: string) {
    super(platform, 'backup-copies', 'Copies of the table and of artifacts, for the loss of their region', region);
    const { config, names } = platform;
    new BackupVault(this, 'Copies', {
      backupVaultName: names.backupCopies(region).name,
      blockRecoveryPointDeletion: config.keepsData,
      removalPolicy: dataRemoval(config),
    });
    const bucket = new Bucket(this, 'Artifacts', {
      bucketName: names.artifactCopies.name,
      ...PRIVATE_BUCKET,
      removalPolicy: dataRemoval(config),
      versioned: true,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        {
          prefix: 'artifacts/',
          expiration: Duration.days(ARTIFACT_DAYS),
          noncurrentVersionExpiration: Duration.days(DELETED_ARTIFACT_DAYS),
        },
      ],
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'only S3 itself writes to it, and operators read it',
    });
  }
}

/**
 * A daily backup of the table in use, and its copy in another region. Copies between regions require AWS Backup's advanced features for
 * DynamoDB, which are a setting of the account (https://docs.aws.amazon.com/aws-backup/latest/devguide/advanced-ddb-backup.html).
 */
export class BackupStack extends PlatformStack {
  constructor(platform: Platform, region: string) {
    super(platform, 'backup', 'Daily backups of the table, copied to another region');
    const { config, names } = platform;
    const vault = new BackupVault(this, 'Vault', {
      backupVaultName: names.global('table'),
      removalPolicy: dataRemoval(config),
    });
    const copies = BackupVault.fromBackupVaultArn(this, 'Copies', names.backupCopies(region).arn);
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: names.global('table'),
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'daily',
          // The time with the fewest requests in the default region.
          scheduleExpression: Schedule.cron({ hour: '1', minute: '0' }),
          startWindow: Duration.hours(1),
          completionWindow: Duration.hours(12),
          deleteAfter: Duration.days(SOURCE_DAYS),
          copyActions: [{ destinationBackupVault: copies, deleteAfter: Duration.days(COPY_DAYS) }],
        }),
      ],
    });
    const role = new Role(this, 'BackupRole', {
      roleName: names.global('backup'),
      description: 'AWS Backup: backs the table up, copies the backups, and restores them',
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: RIGHTS.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
    });
    Validations.of(role).acknowledge(
      ...RIGHTS.map((name) => ({
        id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`,
        reason: 'AWS keeps the rights of its own service in this policy, and adds to it what new features need',
      })),
    );
    plan.addSelection('Table', {
      resources: [BackupResource.fromArn(names.table.arn)],
      role,
      disableDefaultBackupPolicy: true,
    });
    // The pattern matches any vault, because a wrong vault name in it would go unnoticed.
    new Rule(this, 'Failures', {
      description: 'Backups and copies that failed, for the operators',
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change', 'Copy Job State Change'],
        detail: { state: ['FAILED', 'ABORTED', 'EXPIRED'] },
      },
      // By name instead of an import: once the setting is removed, this stack is no longer updated, and its import would block the topic's stack.
      targets: [new SnsTopic(Topic.fromTopicArn(this, 'Tickets', names.alarmTopic('tickets').arn))],
    });
  }
}
