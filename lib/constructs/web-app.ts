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
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { webAppHeaders } from '../build/web-app-headers.ts';
import type { LoginStack } from '../stacks/login.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import { PRIVATE_BUCKET } from './private-bucket.ts';
import { dataRemoval } from './retention.ts';

/** Paths of the dashboard's files. The more specific paths of the dashboard's API take precedence. */
const PATHS = ['/dashboard', '/dashboard/*'];
/** The folder of the files in the bucket. */
export const WEB_APP_FOLDER = 'dashboard';

/** The bucket of the dashboard's files, which only CloudFront reads (lib/stacks/web-app.ts fills it). */
export class WebApp extends Construct {
  /** CloudFront behaviors by path. */
  readonly behaviors: Record<string, BehaviorOptions>;
  readonly #platform: Platform;

  constructor(scope: Construct, platform: Platform, login: LoginStack) {
    super(scope, 'WebApp');
    const { config, names } = platform;
    this.#platform = platform;
    const bucket = new Bucket(this, 'Files', {
      bucketName: names.webApp.name,
      // A deployment replaces the page. The previous version is kept for a month.
      versioned: true,
      lifecycleRules: [{ noncurrentVersionExpiration: Duration.days(30) }],
      ...PRIVATE_BUCKET,
      removalPolicy: dataRemoval(config),
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'a public page’s files, read by CloudFront alone and written by deployments alone',
    });
    const behavior: BehaviorOptions = {
      // CDK's class and interface of buckets differ in their optional properties.
      origin: S3BucketOrigin.withOriginAccessControl(bucket as IBucket, {
        originAccessControl: new S3OriginAccessControl(this, 'Access', {
          originAccessControlName: names.global('web-app'),
        }),
      }),
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Each file's Cache-Control header sets its time to live.
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: true,
      responseHeadersPolicy: this.#headers([login.issuerOrigin, login.pages]),
      functionAssociations: [{ function: this.#pageForPaths(), eventType: FunctionEventType.VIEWER_REQUEST }],
    };
    this.behaviors = Object.fromEntries(PATHS.map((path) => [path, behavior]));
  }

  /**
   * Returns the same headers that the local run sends (lib/build/web-app-headers.ts), as a CloudFront policy, with HSTS
   * for 365 days.
   */
  #headers(origins: string[]): ResponseHeadersPolicy {
    const { 'content-security-policy': csp = '', 'permissions-policy': permissions = '' } = webAppHeaders(origins);
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: this.#platform.names.global('web-app'),
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
      functionName: this.#platform.names.global('open-web-app'),
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: join(import.meta.dirname, '../edge-functions', 'open-web-app.js') }),
    });
  }
}
