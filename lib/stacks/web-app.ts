import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Aws, DefaultStackSynthesizer, RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib/core';
import { CACHE_IMMUTABLE, CACHE_NEVER } from '../build/web-app-headers.ts';
import { LOG_RETENTION } from '../constructs/logs.ts';
import { explainWildcards, policyOf, type Right } from '../constructs/rights.ts';
import { WEB_APP_FOLDER } from '../constructs/web-app.ts';
import type { EdgeStack } from './edge.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/**
 * The files of the dashboard. They are in a separate stack, created after that of their bucket: a bucket that contains files cannot be deleted
 * when the creation of its stack is rolled back.
 */
export class WebAppStack extends PlatformStack {
  /**
   * @param webApp the folder of the built web app
   * @param operations the stacks of the API's operations: a new page must not call what the API does not have yet
   */
  constructor(
    platform: Platform,
    webApp: string,
    { edge, login, operations }: { edge: EdgeStack; login: LoginStack; operations: readonly Stack[] },
  ) {
    super(platform, 'web-app', 'The files of the dashboard');
    for (const stack of [edge, ...operations]) this.addStackDependency(stack);
    const { names } = platform;
    const { exampleRepository } = platform.config;
    const settings = { issuer: login.issuer, clientId: login.clientId, apiUrl: '', exampleRepository };
    const logs = names.logs(`/aws/lambda/${platform.config.prefix}-web-app-deployer`);
    const common = {
      destinationBucket: Bucket.fromBucketName(this, 'Bucket', names.webApp.name),
      destinationKeyPrefix: WEB_APP_FOLDER,
      // Files of earlier deployments stay, for pages that are still open.
      prune: false,
      role: this.#deployer(platform, logs.arn).withoutPolicyUpdates(),
      logGroup: new LogGroup(this, 'DeployerLogs', {
        logGroupName: logs.name,
        retention: LOG_RETENTION,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    };
    const files = new BucketDeployment(this, 'Assets', {
      ...common,
      sources: [Source.asset(webApp, { exclude: ['*', '!assets', '!assets/**'] })],
      cacheControl: [CacheControl.fromString(CACHE_IMMUTABLE)],
    });
    const page = new BucketDeployment(this, 'Page', {
      ...common,
      sources: [Source.asset(webApp, { exclude: ['assets', '.vite'] }), Source.jsonData('settings.json', settings)],
      cacheControl: [CacheControl.fromString(CACHE_NEVER)],
    });
    // The immutable files must exist before the page that refers to them.
    page.node.addDependency(files);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-L1',
      reason: 'CDK provides the function that copies the files and chooses its runtime',
    });
  }

  /** Creates the role of CDK's copying function, which reads the deployment's assets and writes these files. */
  #deployer({ names }: Platform, logsArn: string): Role {
    const assets = `cdk-${DefaultStackSynthesizer.DEFAULT_QUALIFIER}-assets-${this.account}-${this.region}`;
    const rights: Right[] = [
      {
        actions: ['s3:GetObject'],
        on: [`arn:${Aws.PARTITION}:s3:::${assets}/*`],
        wildcard: 'assets are named after their content',
      },
      { actions: ['s3:ListBucket'], on: [names.webApp.arn] },
      {
        actions: ['s3:PutObject'],
        on: [`${names.webApp.arn}/${WEB_APP_FOLDER}/*`],
        wildcard: 'files are named after their content',
      },
      {
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        on: [logsArn],
        wildcard: 'log streams of its own log group, whose names Lambda chooses',
      },
    ];
    const role = new Role(this, 'Deployer', {
      description: 'Copies the files of the dashboard to their bucket',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { needs: policyOf(rights) },
    });
    explainWildcards(role, rights);
    return role;
  }
}
