import { join } from 'node:path';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Aws, DefaultStackSynthesizer, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { CACHE_IMMUTABLE, CACHE_NEVER, webAppHeaders } from '../build/web-app-headers.ts';
import type { LoginStack } from '../stacks/login.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import { LOG_RETENTION } from './logs.ts';
import { explainWildcards, policyOf, type Right } from './rights.ts';

/** Paths of the dashboard's files. The more specific paths of the dashboard's API take precedence. */
const PATHS = ['/dashboard', '/dashboard/*'];
const FOLDER = 'dashboard';

/** The dashboard's files: a bucket that only CloudFront reads, and their deployment. */
export class WebApp extends Construct {
  /** CloudFront behaviours by path. */
  readonly behaviours: Record<string, BehaviorOptions>;
  readonly #platform: Platform;
  readonly #bucket: IBucket;

  constructor(scope: Construct, platform: Platform, login: LoginStack) {
    super(scope, 'WebApp');
    const { config, names, webApp } = platform;
    this.#platform = platform;
    const bucket = new Bucket(this, 'Files', {
      bucketName: names.webApp.name,
      // A deployment replaces the page: the one before is kept for a month.
      versioned: true,
      lifecycleRules: [{ noncurrentVersionExpiration: Duration.days(30) }],
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy: config.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // CDK's class and interface differ in their optional properties.
    this.#bucket = bucket as IBucket;
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'a public page’s files, read by CloudFront alone and written by deployments alone',
    });
    const behaviour: BehaviorOptions = {
      origin: S3BucketOrigin.withOriginAccessControl(this.#bucket),
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Each file's Cache-Control header sets its time to live.
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: true,
      responseHeadersPolicy: this.#headers([login.issuerOrigin, login.pages]),
      functionAssociations: [{ function: this.#pageForPaths(), eventType: FunctionEventType.VIEWER_REQUEST }],
    };
    this.behaviours = Object.fromEntries(PATHS.map((path) => [path, behaviour]));
    // The local run serves the files itself.
    if (webApp) this.#deploy(webApp, { issuer: login.issuer, clientId: login.clientId, apiUrl: '' });
  }

  /**
   * Returns the same headers that the local run sends (lib/build/web-app-headers.ts), as a CloudFront policy, with HSTS
   * for 365 days.
   */
  #headers(origins: string[]): ResponseHeadersPolicy {
    const { 'content-security-policy': csp = '', 'permissions-policy': permissions = '' } = webAppHeaders(origins);
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: `${this.#platform.config.prefix}-web-app`,
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy: csp, override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.SAME_ORIGIN, override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
      },
      customHeadersBehavior: {
        customHeaders: [{ header: 'permissions-policy', value: permissions, override: true }],
      },
    });
  }

  #pageForPaths(): EdgeFunction {
    return new EdgeFunction(this, 'OpenWebApp', {
      functionName: `${this.#platform.config.prefix}-open-web-app`,
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: join(import.meta.dirname, '../edge-functions', 'open-web-app.js') }),
    });
  }

  /**
   * Uploads the immutable files first and then the page that refers to them. Files of earlier deployments stay, for
   * pages that are still open.
   */
  #deploy(folder: string, settings: object): void {
    const common = {
      destinationBucket: this.#bucket,
      destinationKeyPrefix: FOLDER,
      prune: false,
      role: this.#deployer().withoutPolicyUpdates(),
      logGroup: new LogGroup(this, 'DeployerLogs', {
        logGroupName: `/aws/lambda/${this.#platform.config.prefix}-web-app-deployer`,
        retention: LOG_RETENTION,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    };
    const files = new BucketDeployment(this, 'Assets', {
      ...common,
      sources: [Source.asset(folder, { exclude: ['*', '!assets', '!assets/**'] })],
      cacheControl: [CacheControl.fromString(CACHE_IMMUTABLE)],
    });
    const page = new BucketDeployment(this, 'Page', {
      ...common,
      sources: [Source.asset(folder, { exclude: ['assets', '.vite'] }), Source.jsonData('settings.json', settings)],
      cacheControl: [CacheControl.fromString(CACHE_NEVER)],
    });
    page.node.addDependency(files);
    Validations.of(Stack.of(this)).acknowledge({
      id: 'AwsSolutions-L1',
      reason: 'CDK provides the function that copies the files and chooses its runtime',
    });
  }

  /** Returns the role of CDK's copying function: it reads the deployment's assets and writes these files. */
  #deployer(): Role {
    const { names } = this.#platform;
    const assets = `cdk-${DefaultStackSynthesizer.DEFAULT_QUALIFIER}-assets-${Stack.of(this).account}-${Stack.of(this).region}`;
    const logs = names.logs(`/aws/lambda/${this.#platform.config.prefix}-web-app-deployer`);
    const rights: Right[] = [
      {
        actions: ['s3:GetObject'],
        on: [`arn:${Aws.PARTITION}:s3:::${assets}/*`],
        wildcard: 'assets are named after their content',
      },
      { actions: ['s3:ListBucket'], on: [names.webApp.arn] },
      {
        actions: ['s3:PutObject'],
        on: [`${names.webApp.arn}/${FOLDER}/*`],
        wildcard: 'files are named after their content',
      },
      {
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        on: [logs.arn],
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
