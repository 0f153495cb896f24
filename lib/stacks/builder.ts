import { join } from 'node:path';
import { BuildSpec, ComputeType, LinuxArmBuildImage, Project, Source } from 'aws-cdk-lib/aws-codebuild';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { ignoreEmbeddedMetrics, LOG_RETENTION } from '../constructs/logs.ts';
import { explainWildcards, policyOf, type Right } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/**
 * The CodeBuild project that runs the builder, in the region of builds. Functions address it by name and region (`submit`, `watch` and `stop` in
 * builds.ts). A build accesses the builds bucket only with presigned requests.
 */
export class BuilderStack extends PlatformStack {
  constructor(platform: Platform) {
    const { config, names, bundles } = platform;
    super(platform, 'builder', 'The CodeBuild project that builds applications', config.buildRegion);
    const builder = new Asset(this, 'Builder', { path: join(bundles, 'builder'), ...platform.asset('builder') });
    const logs = names.buildLogs;
    // In the installation's own region, the policy in app-hosting.ts includes this log group.
    if (config.buildRegion !== config.region)
      ignoreEmbeddedMetrics(this, names.global('no-build-metrics'), [logs.name]);
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
      // The image's Node runs the builder, which installs the application's Node version (builder/build/node-releases.json).
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
