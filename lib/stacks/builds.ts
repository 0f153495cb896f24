import { AccountPrincipal, AccountRootPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { EXPORT_DAYS } from '../../contract/accounts/export.ts';
import { cellRoleArn, cellsOf } from '../cells.ts';
import { ARTIFACT_DAYS, copyArtifacts, DELETED_ARTIFACT_DAYS } from '../constructs/artifact-copies.ts';
import { PRIVATE_BUCKET } from '../constructs/private-bucket.ts';
import { dataRemoval } from '../constructs/retention.ts';
import { explainWildcards, policyOf, type Right, type Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** Folders of the builds bucket, shared by the builder (builder/main.ts) and the workflow's functions. */
type Folder = 'jobs' | 'logs' | 'results' | 'artifacts' | 'caches' | 'exports';

/**
 * Days until objects of a folder expire. Logs are part of the API and do not expire. A release keeps working after its artifact has expired.
 */
const KEPT_DAYS: Readonly<Record<Folder, number | undefined>> = {
  jobs: 1,
  logs: undefined,
  results: 30,
  artifacts: ARTIFACT_DAYS,
  caches: 30,
  exports: EXPORT_DAYS,
};
/** Days for which other deleted objects are kept: the minimum, because versioning, which only artifacts need, applies to the whole bucket. */
const DELETED_DAYS = 1;

/**
 * The bucket through which builds and functions exchange files, and the role that signs a build's requests to it. It is in the functions'
 * region, because Lambda loads artifacts only from a bucket in its own region.
 */
export class BuildsStack extends PlatformStack {
  /** Reads build logs, for the API. */
  readonly readLogs: Use;
  /** Stores the job of a build, and deletes it if the deployment has ended in the meantime. */
  readonly order: Use;
  /** Reads a build's result and artifact. */
  readonly collect: Use;
  /** Reads and replaces the artifacts of an application that is moved to another cell. */
  readonly move: Use;
  /** Signs the requests of one build, with a session that is limited to them. */
  readonly grantAccess: Use;
  /** Reads the sealed variables that a release was built with. */
  readonly readEnvironment: Use;
  /** Reads the results of builds. */
  readonly readResults: Use;
  /** Deletes a job that no build has read. */
  readonly discardJob: Use;
  /** Deletes the artifacts of releases that are no longer kept. */
  readonly discard: Use;
  /** Deletes all files of an application's deployments. */
  readonly remove: Use;
  /** Submits builds to the project, reads their status, and stops them (builder.ts). */
  readonly submit: Use;
  readonly watch: Use;
  readonly stop: Use;
  /** Writes archives of accounts' data, and signs links to them. */
  readonly writeExports: Use;
  readonly linkExports: Use;

  /** @param copies the stack of the bucket that receives a copy of each artifact */
  constructor(platform: Platform, copies?: PlatformStack) {
    super(platform, 'builds', 'Builds of applications: their bucket, and their access to it');
    const { config, names } = platform;
    const bucket = new Bucket(this, 'Builds', {
      bucketName: names.builds.name,
      ...PRIVATE_BUCKET,
      removalPolicy: dataRemoval(config),
      versioned: true,
      ...(copies ? copyArtifacts(this, platform.names) : {}),
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        ...Object.entries(KEPT_DAYS).map(([folder, days]) => ({
          prefix: `${folder}/`,
          // S3 then removes delete markers without older versions. For objects that expire, it does so anyway.
          ...(days === undefined ? { expiredObjectDeleteMarker: true } : { expiration: Duration.days(days) }),
          noncurrentVersionExpiration: Duration.days(folder === 'artifacts' ? DELETED_ARTIFACT_DAYS : DELETED_DAYS),
        })),
      ],
    });
    // S3 refuses a replication destination that does not exist.
    if (copies) this.addStackDependency(copies);
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'only a few platform roles access these machine-written objects; CloudTrail data events, if enabled, say more than access logs',
    });

    const object = (action: 'Get' | 'Put' | 'Delete', ...folders: Folder[]): Right => ({
      actions: [`s3:${action}Object`],
      on: folders.map((folder) => `${names.builds.arn}/${folder}/*`),
      wildcard: 'objects are named after deployments and applications; the permission covers a folder',
    });
    const variables = { BUILDS_BUCKET: names.builds.name };
    // Without permission to list, S3 answers 403 instead of 404 for a missing object, which looks like a fault.
    const list: Right = { actions: ['s3:ListBucket'], on: [names.builds.arn] };
    this.readLogs = { variables, rights: [object('Get', 'logs'), list] };
    const environments: Omit<Right, 'actions'> = {
      on: [`${names.builds.arn}/artifacts/*/*.env.json`],
      wildcard: 'objects are named after applications and deployments; the permission covers their sealed variables',
    };
    this.order = {
      variables,
      rights: [object('Put', 'jobs'), object('Delete', 'jobs'), { actions: ['s3:PutObject'], ...environments }],
    };
    this.readEnvironment = { variables, rights: [{ actions: ['s3:GetObject'], ...environments }, list] };
    // Copies the artifact of a release into the cell.
    const inCells: Use['inCells'] = ({ codeBucketArn }) => [
      object('Get', 'artifacts'),
      {
        actions: ['s3:GetObject', 's3:PutObject'],
        on: [`${codeBucketArn}/*`],
        wildcard: 'objects are named after deployments and applications',
      },
    ];
    this.collect = { variables, rights: [object('Get', 'results', 'artifacts'), list], inCells };
    this.move = { variables, rights: [object('Get', 'artifacts'), object('Put', 'artifacts'), list], inCells };
    for (const cell of cellsOf(config)) {
      const copiers = ['workflow/releaseDeployment', 'workflow/moveApp'];
      const roles = copiers.map((name) => cellRoleArn(cell, names.function(name)));
      bucket.addToResourcePolicy(
        new PolicyStatement({
          // The principal is the account, because S3 would require a role to exist.
          principals: [new AccountPrincipal(cell.config.account ?? '')],
          actions: ['s3:GetObject'],
          resources: [`${names.builds.arn}/artifacts/*`],
          conditions: { ArnEquals: { 'aws:PrincipalArn': roles } },
        }),
      );
    }
    this.discard = { variables, rights: [object('Delete', 'artifacts')] };
    this.remove = { variables, rights: [object('Delete', 'jobs', 'logs', 'results', 'artifacts', 'caches')] };
    this.readResults = { variables, rights: [object('Get', 'results'), list] };
    this.discardJob = { variables, rights: [object('Delete', 'jobs')] };

    const access = [
      object('Get', 'jobs', 'caches'),
      object('Put', 'logs', 'results', 'artifacts', 'caches'),
      object('Delete', 'jobs'),
    ];
    const accessRole = new Role(this, 'BuildAccessRole', {
      roleName: names.buildAccessRole.name,
      description: 'Signs the requests of builds: each session is limited to the objects of one deployment',
      // Roles of this account may assume it if their own policy allows that.
      assumedBy: new AccountRootPrincipal(),
      inlinePolicies: { needs: policyOf(access) },
    });
    explainWildcards(accessRole, access);
    this.grantAccess = {
      variables: { ...variables, BUILD_ACCESS_ROLE_ARN: names.buildAccessRole.arn },
      rights: [{ actions: ['sts:AssumeRole'], on: [names.buildAccessRole.arn] }],
    };
    this.writeExports = {
      variables,
      rights: [object('Get', 'exports'), object('Put', 'exports'), object('Delete', 'exports'), list],
    };
    const archives = [object('Get', 'exports')];
    const exportRole = new Role(this, 'ExportAccessRole', {
      roleName: names.exportAccessRole.name,
      description: 'Signs links to exports: each session is limited to the archive of one account',
      // Roles of this account may assume it if their own policy allows that.
      assumedBy: new AccountRootPrincipal(),
      inlinePolicies: { needs: policyOf(archives) },
    });
    explainWildcards(exportRole, archives);
    this.linkExports = {
      variables: { ...variables, EXPORT_ACCESS_ROLE_ARN: names.exportAccessRole.arn },
      rights: [{ actions: ['sts:AssumeRole'], on: [names.exportAccessRole.arn] }],
    };
    const on = [names.buildProject.arn];
    const project = { BUILD_PROJECT_NAME: names.buildProject.name, BUILD_REGION: config.buildRegion };
    this.submit = { variables: project, rights: [{ actions: ['codebuild:StartBuild'], on }] };
    this.watch = { variables: project, rights: [{ actions: ['codebuild:BatchGetBuilds'], on }] };
    this.stop = { variables: project, rights: [{ actions: ['codebuild:StopBuild'], on }] };
  }
}
