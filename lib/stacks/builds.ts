import { join } from 'node:path';
import { BuildSpec, ComputeType, LinuxArmBuildImage, Project, Source } from 'aws-cdk-lib/aws-codebuild';
import { AccountRootPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { LOG_RETENTION } from '../constructs/logs.ts';
import { dataRemoval } from '../constructs/retention.ts';
import { explainWildcards, policyOf, type Right, type Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** Folders of the builds bucket, shared by the builder (builder/main.ts) and the workflow's functions. */
type Folder = 'jobs' | 'logs' | 'results' | 'artifacts' | 'caches';

/**
 * Days until objects of a folder expire. Logs are part of the API and do not expire. A release keeps working after its
 * artifact expired.
 */
const KEPT_DAYS: Partial<Record<Folder, number>> = { jobs: 1, results: 30, artifacts: 90, caches: 30 };

/**
 * Builds of applications: a bucket between the builder and the functions, and a CodeBuild project that runs the
 * builder.
 */
export class BuildsStack extends PlatformStack {
  /** Reads build logs, for the API. */
  readonly readLogs: Use;
  /** Stores the job of a build, and deletes it where the deployment ended meanwhile. */
  readonly order: Use;
  /** Reads a build's result and artifact. */
  readonly collect: Use;
  /** Signs the requests of one build, as a session that may send only these. */
  readonly grantAccess: Use;
  /** Reads the sealed variables that a release was built with. */
  readonly readEnvironment: Use;
  /** Reads the result of a build that failed. */
  readonly fail: Use;
  /** Deletes a job that no build took. */
  readonly discardJob: Use;
  /** Deletes the artifacts of releases that are not kept. */
  readonly discard: Use;
  /** Deletes all files of an application's deployments. */
  readonly remove: Use;

  constructor(platform: Platform) {
    super(platform, 'builds', 'Builds of applications: bucket and CodeBuild project');
    const { config, names, bundles } = platform;
    const bucket = new Bucket(this, 'Builds', {
      bucketName: names.builds.name,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy: dataRemoval(config),
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        ...Object.entries(KEPT_DAYS).map(([folder, days]) => ({
          prefix: `${folder}/`,
          expiration: Duration.days(days),
        })),
      ],
    });
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
    this.collect = { variables, rights: [object('Get', 'results', 'artifacts'), list] };
    this.discard = { variables, rights: [object('Delete', 'artifacts')] };
    this.remove = { variables, rights: [object('Delete', 'jobs', 'logs', 'results', 'artifacts', 'caches')] };
    this.fail = { variables, rights: [object('Get', 'results'), list] };
    this.discardJob = { variables, rights: [object('Delete', 'jobs')] };

    const builder = new Asset(this, 'Builder', { path: join(bundles, 'builder'), ...platform.asset('builder') });
    const logs = names.logs(`/aws/codebuild/${names.buildProject.name}`);
    // https://docs.aws.amazon.com/codebuild/latest/userguide/setting-up-service-role.html
    const rights: Right[] = [
      { actions: ['s3:GetBucketAcl', 's3:GetBucketLocation'], on: [builder.bucket.bucketArn] },
      { actions: ['s3:GetObject', 's3:GetObjectVersion'], on: [builder.bucket.arnForObjects(builder.s3ObjectKey)] },
      {
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        on: [logs.arn],
        wildcard: 'log streams of its own log group, whose names CodeBuild chooses',
      },
    ];
    const access = [
      object('Get', 'jobs', 'caches'),
      object('Put', 'logs', 'results', 'artifacts', 'caches'),
      object('Delete', 'jobs'),
    ];
    const accessRole = new Role(this, 'BuildAccessRole', {
      roleName: names.buildAccessRole.name,
      description: 'Signs the requests of builds: each session is limited to the objects of one deployment',
      // Of this account's roles, those may assume it whose own policy says so.
      assumedBy: new AccountRootPrincipal(),
      inlinePolicies: { needs: policyOf(access) },
    });
    explainWildcards(accessRole, access);
    this.grantAccess = {
      variables: { ...variables, BUILD_ACCESS_ROLE_ARN: names.buildAccessRole.arn },
      rights: [{ actions: ['sts:AssumeRole'], on: [names.buildAccessRole.arn] }],
    };
    const role = new Role(this, 'BuildRole', {
      description: 'Builds: fetch the builder, write their log, and nothing else',
      assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
      inlinePolicies: { needs: policyOf(rights) },
    });
    explainWildcards(role, rights);
    const project = new Project(this, 'Project', {
      projectName: names.buildProject.name,
      description: 'Clones, installs, builds and packages one deployment of an application',
      source: Source.s3({ bucket: builder.bucket, path: builder.s3ObjectKey }),
      buildSpec: BuildSpec.fromObject({ version: 0.2, phases: { build: { commands: ['node main.mjs'] } } }),
      // Its Node runs the builder, which brings the application's own (builder/build/node-releases.json).
      environment: { buildImage: LinuxArmBuildImage.AMAZON_LINUX_2023_STANDARD_4_0, computeType: ComputeType.MEDIUM },
      environmentVariables: {
        GIT_KNOWN_HOSTS: { value: config.gitKnownHosts },
        // Less than CodeBuild's own limit, so that the builder can report the timeout.
        BUILD_SECONDS: { value: String(TIMEOUTS_S.build.builder) },
      },
      timeout: Duration.seconds(TIMEOUTS_S.build.project),
      queuedTimeout: Duration.seconds(TIMEOUTS_S.build.queue),
      role: role.withoutPolicyUpdates(),
      logging: {
        cloudWatch: {
          logGroup: new LogGroup(this, 'Logs', {
            logGroupName: logs.name,
            retention: LOG_RETENTION,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        },
      },
    });
    Validations.of(project).acknowledge({
      id: 'AwsSolutions-CB4',
      reason: 'the project has no artifacts of its own; the builder writes to the encrypted bucket',
    });
  }
}
