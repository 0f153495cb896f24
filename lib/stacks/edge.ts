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
import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  SecretValue,
  Validations,
} from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { DASHBOARD_PATH, listPaths, MAX_REVOCATION_DELAY_S } from '../../contract/route.ts';
import { routes } from '../../contract/routes.ts';
import { UNCACHED_ERROR_STATUSES } from '../constructs/tenant-edge.ts';
import { WebApp } from '../constructs/web-app.ts';
import type { AiStack } from './ai.ts';
import type { ApiStack } from './api.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { FirewallStack } from './firewall.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** CloudFront accepts certificates only from this region. */
const CERTIFICATE_REGION = 'us-east-1';

function zoneOf(scope: Construct, domain: string, hostedZoneId: string, id = 'Zone'): IHostedZone {
  return HostedZone.fromHostedZoneAttributes(scope, id, { hostedZoneId, zoneName: domain });
}

/** The certificate of the platform's names. It exists only if the settings name the hosted zone. */
export class CertificateStack extends PlatformStack {
  readonly certificate: ICertificate;

  constructor(platform: Platform, hostedZoneId: string) {
    super(platform, 'certificate', 'The certificate of the platform and its applications', CERTIFICATE_REGION);
    const { domain, appsDomain, appsHostedZoneId = hostedZoneId } = platform.config;
    const apps = `*.${appsDomain}`;
    const zones = {
      [domain]: zoneOf(this, domain, hostedZoneId),
      [apps]: zoneOf(this, appsDomain, appsHostedZoneId, 'AppsZone'),
    };
    const certificate = new Certificate(this, 'Certificate', {
      domainName: domain,
      subjectAlternativeNames: [apps],
      validation: CertificateValidation.fromDnsMultiZone(zones),
    });
    // Read across regions through the stack's output, without custom resources.
    CrossStackReferences.of(certificate).produce(ReferenceStrength.WEAK);
    this.certificate = certificate;
  }
}

/** Public entry points: a distribution for the API's base address and one for all applications. */
export class EdgeStack extends PlatformStack {
  /** The id of the distribution of the platform's own address. The alarms on it are in another region. */
  readonly apiDistributionId: string;
  readonly appsDistributionId: string;
  readonly edgeFunctionNames: string[];

  constructor(
    platform: Platform,
    {
      api,
      ai,
      appHosting,
      login,
      firewall,
    }: { api: ApiStack; ai: AiStack; appHosting: AppHostingStack; login: LoginStack; firewall: FirewallStack },
    certificate?: ICertificate,
  ) {
    super(platform, 'edge', 'The API at its base address, applications at their host names');
    // This stack reads an output of that stack.
    this.addStackDependency(ai);
    const { config, names } = platform;
    const { domain, appsDomain, region, hostedZoneId, appsHostedZoneId, originSecretVersion } = config;
    const webApp = new WebApp(this, platform, login);
    // CloudFront has header values in its configuration, so CloudFormation resolves the secret there. With a version, the template changes
    // together with the secret, so that CloudFormation reads it again (docs/runbook.md#origin-secret).
    const originSecret = SecretValue.secretsManager(
      names.originSecret.name,
      originSecretVersion ? { versionId: originSecretVersion } : {},
    ).unsafeUnwrap();
    const site = new Site(this, 'Api', platform, {
      host: domain,
      zone: { name: domain, id: hostedZoneId },
      origin: `${api.api.apiId}.execute-api.${region}.amazonaws.com`,
      webAclArn: firewall.webAclArn,
      // Proves to the API that the request passed the edge's limits, and that the edge set the caller's address.
      originHeaders: { 'x-origin-secret': originSecret },
      edgeFunction: 'name-visitor',
      readTimeout: TIMEOUTS_S.edge.platform,
      // Streamed responses have a separate origin.
      streams: Object.fromEntries(listPaths(createChatCompletion).map((path) => [path, ai.urlHost])),
      // Responses of the catalogue are cached per key, for the time in their Cache-Control.
      passed: [DASHBOARD_PATH, `${DASHBOARD_PATH}/*`],
      others: webApp.behaviors,
      cached: routes.filter(({ access }) => access === 'catalogue').map(({ path }) => path),
      certificate,
    });
    const apps = new Site(this, 'Apps', platform, {
      host: `*.${appsDomain}`,
      zone: { name: appsDomain, id: appsHostedZoneId },
      // Never used: the function sets the application's origin or answers the request.
      origin: domain,
      edgeFunction: 'route-app',
      readTimeout: TIMEOUTS_S.edge.applications,
      applications: appHosting,
      certificate,
    });
    for (const { distribution } of [site, apps]) CrossStackReferences.of(distribution).produce(ReferenceStrength.WEAK);
    this.appsDistributionId = apps.distribution.distributionId;
    this.apiDistributionId = site.distribution.distributionId;
    this.edgeFunctionNames = ['name-visitor', 'route-app', 'route-domain', 'open-web-app'].map((name) =>
      names.global(name),
    );
  }
}

interface SiteProps {
  host: string;
  /** The hosted zone of the host; without an id there are no DNS records. */
  zone: { name: string; id: string | undefined };
  origin: string;
  originHeaders?: Record<string, string>;
  /** The web ACL that limits clients. Applications have none, because their owners are responsible for their traffic. */
  webAclArn?: string;
  /** A file of lib/edge-functions that runs on every viewer request. */
  edgeFunction: 'name-visitor' | 'route-app';
  /** Maximum silence of an origin, in seconds. */
  readTimeout: number;
  /** Routes and cache of applications; none for the platform's own address. */
  applications?: { routes: KeyValueStore; staticFiles: ICachePolicy };
  /** Hosts of streaming origins by path. */
  streams?: Record<string, string>;
  /** Paths whose responses may be cached per key and origin of the request. */
  cached?: string[];
  /** Paths served by the default origin although a path of {@link others} covers them. */
  passed?: string[];
  /** Behaviors of paths with other origins. */
  others?: Record<string, BehaviorOptions>;
  certificate: ICertificate | undefined;
}

/**
 * Creates the cache policy of the catalogue's responses. Their Cache-Control sets the time to live. Errors have no Cache-Control and are not
 * cached.
 */
const catalogueCache = (scope: Construct, name: string) =>
  new CachePolicy(scope, 'Catalogue', {
    cachePolicyName: name,
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.seconds(MAX_REVOCATION_DELAY_S),
    headerBehavior: CacheHeaderBehavior.allowList('Authorization', 'X-Public-Key', 'Origin'),
    queryStringBehavior: CacheQueryStringBehavior.all(),
    enableAcceptEncodingBrotli: true,
    enableAcceptEncodingGzip: true,
  });

/**
 * A distribution that caches the catalogue or applications' static files, and passes all other requests to the origin. If there is a hosted
 * zone, it has DNS records.
 */
export class Site extends Construct {
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, { names }: Platform, props: SiteProps) {
    super(scope, id);
    const edgeFunction = new EdgeFunction(this, 'Function', {
      functionName: names.global(props.edgeFunction),
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({
        filePath: join(import.meta.dirname, '../edge-functions', `${props.edgeFunction}.js`),
      }),
      ...(props.applications ? { keyValueStore: props.applications.routes } : {}),
    });
    const catalogue = props.cached ? catalogueCache(this, names.global('catalogue')) : undefined;
    const behavior = (host: string, cachePolicy: ICachePolicy = CachePolicy.CACHING_DISABLED): BehaviorOptions => ({
      origin: new HttpOrigin(host, {
        readTimeout: Duration.seconds(props.readTimeout),
        ...(props.originHeaders ? { customHeaders: props.originHeaders } : {}),
      }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Responses that depend on a key are cached only by browsers, according to their Cache-Control.
      cachePolicy,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      functionAssociations: [{ function: edgeFunction, eventType: FunctionEventType.VIEWER_REQUEST }],
    });
    const usual = behavior(props.origin, props.applications?.staticFiles);
    const distribution = new Distribution(this, 'Distribution', {
      comment: props.host,
      defaultBehavior: usual,
      additionalBehaviors: Object.fromEntries([
        ...Object.entries(props.streams ?? {}).map(([path, host]) => [path, behavior(host)]),
        ...(props.cached ?? []).map((path) => [path, behavior(props.origin, catalogue)]),
        ...(props.passed ?? []).map((path) => [path, usual]),
        ...Object.entries(props.others ?? {}),
      ]),
      errorResponses: UNCACHED_ERROR_STATUSES.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(props.webAclArn ? { webAclId: props.webAclArn } : {}),
      ...(props.certificate
        ? {
            certificate: props.certificate,
            domainNames: [props.host],
            minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
          }
        : {}),
    });
    this.distribution = distribution;
    new CfnOutput(this, 'Address', {
      value: distribution.distributionDomainName,
      description: `Distribution that serves ${props.host}`,
    });
    if (props.zone.id) {
      const target = RecordTarget.fromAlias(new CloudFrontTarget(distribution));
      const zone = zoneOf(this, props.zone.name, props.zone.id);
      new ARecord(this, 'Ipv4', { zone, recordName: `${props.host}.`, target });
      new AaaaRecord(this, 'Ipv6', { zone, recordName: `${props.host}.`, target });
    }
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'the platform serves the whole world' },
      {
        id: 'AwsSolutions-CFR2',
        reason:
          'the platform limits requests per key and per address itself (runtime/http/rate-limit.ts); an operator may add a web ACL at its cost',
      },
      {
        id: 'AwsSolutions-CFR3',
        reason:
          'the access logs are standard logs (v2), which the distribution itself does not name (lib/stacks/access-logs.ts)',
      },
      ...(props.certificate
        ? []
        : [
            {
              id: 'AwsSolutions-CFR4',
              reason: 'without a platform certificate, CloudFront’s default certificate decides the protocols',
            },
          ]),
    );
  }
}
