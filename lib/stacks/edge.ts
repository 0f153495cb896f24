import { join } from 'node:path';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  type ICachePolicy,
  type KeyValueStore,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { AaaaRecord, ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import { CfnOutput, CrossStackReferences, Duration, ReferenceStrength, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { DASHBOARD_PATH, pathsOf } from '../../contract/route.ts';
import { routes } from '../../contract/routes.ts';
import { WebApp } from '../constructs/web-app.ts';
import type { AiStack } from './ai.ts';
import type { ApiStack } from './api.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { KEPT_ERRORS } from './custom-domains.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** CloudFront takes certificates from this region alone. */
const CERTIFICATE_REGION = 'us-east-1';

function zoneOf(scope: Construct, domain: string, hostedZoneId: string): IHostedZone {
  return HostedZone.fromHostedZoneAttributes(scope, 'Zone', { hostedZoneId, zoneName: domain });
}

/** The certificate of the platform's names; there is one only where the settings name the hosted zone. */
export class CertificateStack extends PlatformStack {
  readonly certificate: ICertificate;

  constructor(platform: Platform, hostedZoneId: string) {
    super(platform, 'certificate', 'The certificate of the platform and its applications', CERTIFICATE_REGION);
    const { domain, appsDomain } = platform.config;
    const certificate = new Certificate(this, 'Certificate', {
      domainName: domain,
      subjectAlternativeNames: [`*.${appsDomain}`],
      validation: CertificateValidation.fromDns(zoneOf(this, domain, hostedZoneId)),
    });
    // Read across regions by the stack's output, without custom resources to carry it over.
    CrossStackReferences.of(certificate).produce(ReferenceStrength.WEAK);
    this.certificate = certificate;
  }
}

/** What the world talks to: one distribution for the API's base address, one for all applications. */
export class EdgeStack extends PlatformStack {
  constructor(
    platform: Platform,
    { api, ai, hosting, login }: { api: ApiStack; ai: AiStack; hosting: AppHostingStack; login: LoginStack },
    certificate?: ICertificate,
  ) {
    super(platform, 'edge', 'The API at its base address, applications at their host names');
    const { domain, appsDomain, region } = platform.config;
    const webApp = new WebApp(this, platform, login);
    new Site(this, 'Api', platform, {
      host: domain,
      origin: `${api.api.apiId}.execute-api.${region}.amazonaws.com`,
      // What the API needs to know of the caller; the origin believes it from us alone.
      originHeaders: { 'x-origin-secret': api.originSecret },
      edgeFunction: 'name-visitor',
      // Answers that come byte by byte have an origin of their own.
      streams: Object.fromEntries(pathsOf(createChatCompletion).map((path) => [path, ai.urlHost])),
      // What these answer is kept as long as they say: a minute for each key.
      passed: [DASHBOARD_PATH, `${DASHBOARD_PATH}/*`],
      others: webApp.behaviours,
      cached: routes.filter(({ access }) => access === 'catalogue').map(({ path }) => path),
      certificate,
    });
    new Site(this, 'Apps', platform, {
      host: `*.${appsDomain}`,
      // Never asked: the function names the application's own origin, or answers itself.
      origin: domain,
      edgeFunction: 'route-app',
      routes: hosting.routes,
      certificate,
    });
  }
}

interface SiteProps {
  host: string;
  origin: string;
  originHeaders?: Record<string, string>;
  /** A file of lib/edge-functions, run on every request before it leaves the edge. */
  edgeFunction: 'name-visitor' | 'route-app';
  routes?: KeyValueStore;
  /** Paths with another origin that streams: path → host. */
  streams?: Record<string, string>;
  /** Paths whose answers may be kept, for whoever asks with the same key from the same origin. */
  cached?: string[];
  /** Paths that are the origin's, though {@link others} has what is around them. */
  passed?: string[];
  /** Paths that something else answers for. */
  others?: Record<string, BehaviorOptions>;
  certificate: ICertificate | undefined;
}

/** What an answer of the catalogue depends on. What it says itself is how long it may be kept; errors say not at all. */
const catalogueCache = (scope: Construct, prefix: string) =>
  new CachePolicy(scope, 'Catalogue', {
    cachePolicyName: `${prefix}-catalogue`,
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.minutes(1),
    headerBehavior: CacheHeaderBehavior.allowList('Authorization', 'X-Public-Key', 'Origin'),
    queryStringBehavior: CacheQueryStringBehavior.all(),
    enableAcceptEncodingBrotli: true,
    enableAcceptEncodingGzip: true,
  });

/** A distribution that caches what it is told to and passes everything on, with its DNS names where there is a zone. */
class Site extends Construct {
  constructor(scope: Construct, id: string, { config }: Platform, props: SiteProps) {
    super(scope, id);
    const edgeFunction = new EdgeFunction(this, 'Function', {
      functionName: `${config.prefix}-${props.edgeFunction}`,
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({
        filePath: join(import.meta.dirname, 'edge-functions', `${props.edgeFunction}.js`),
      }),
      ...(props.routes ? { keyValueStore: props.routes } : {}),
    });
    const catalogue = props.cached ? catalogueCache(this, config.prefix) : undefined;
    const behaviour = (host: string, cachePolicy: ICachePolicy = CachePolicy.CACHING_DISABLED): BehaviorOptions => ({
      origin: new HttpOrigin(host, {
        readTimeout: Duration.seconds(60),
        ...(props.originHeaders ? { customHeaders: props.originHeaders } : {}),
      }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Answers differ by key and by application: what may be kept is for them to say to browsers, not to us.
      cachePolicy,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      functionAssociations: [{ function: edgeFunction, eventType: FunctionEventType.VIEWER_REQUEST }],
    });
    const usual = behaviour(props.origin);
    const distribution = new Distribution(this, 'Distribution', {
      comment: props.host,
      defaultBehavior: usual,
      additionalBehaviors: Object.fromEntries([
        ...Object.entries(props.streams ?? {}).map(([path, host]) => [path, behaviour(host)]),
        ...(props.cached ?? []).map((path) => [path, behaviour(props.origin, catalogue)]),
        ...(props.passed ?? []).map((path) => [path, usual]),
        ...Object.entries(props.others ?? {}),
      ]),
      errorResponses: KEPT_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(props.certificate
        ? {
            certificate: props.certificate,
            domainNames: [props.host],
            minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
          }
        : {}),
    });
    new CfnOutput(this, 'Address', {
      value: distribution.distributionDomainName,
      description: `Answers for ${props.host}`,
    });
    if (config.hostedZoneId) {
      const target = RecordTarget.fromAlias(new CloudFrontTarget(distribution));
      const zone = zoneOf(this, config.domain, config.hostedZoneId);
      new ARecord(this, 'Ipv4', { zone, recordName: `${props.host}.`, target });
      new AaaaRecord(this, 'Ipv6', { zone, recordName: `${props.host}.`, target });
    }
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'the platform serves the whole world' },
      {
        id: 'AwsSolutions-CFR2',
        reason:
          'limits per key and per address are the platform’s own (runtime/authentication.ts); a web ACL is the operator’s choice of cost',
      },
      {
        id: 'AwsSolutions-CFR3',
        reason:
          'standard logs cannot be delivered to buckets of opt-in regions such as af-south-1; the API writes its own access log',
      },
      ...(props.certificate
        ? []
        : [
            { id: 'AwsSolutions-CFR4', reason: 'without a certificate of ours CloudFront’s own decides the protocols' },
          ]),
    );
  }
}
