import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Duration, RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib/core';
import type { Uses } from '../contract/route.ts';
import { type AnyRoute, routes } from '../contract/routes.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { BuildsStack } from './builds.ts';
import { receivers } from './delivery.ts';
import { askRegistrar } from './domains.ts';
import { PlatformFunction } from './functions.ts';
import { LOG_RETENTION } from './logs.ts';
import { type Platform, PlatformStack } from './platform.ts';
import type { Use } from './rights.ts';
import type { TableStack } from './table.ts';

/** What browsers may do across origins; who may is a property of each public key (design, section 4). */
export const CORS = {
  allowOrigins: ['*'],
  allowMethods: [
    CorsHttpMethod.GET,
    CorsHttpMethod.POST,
    CorsHttpMethod.PUT,
    CorsHttpMethod.PATCH,
    CorsHttpMethod.DELETE,
    CorsHttpMethod.OPTIONS,
  ],
  allowHeaders: ['Authorization', 'X-Public-Key', 'Content-Type', 'Idempotency-Key'],
  exposeHeaders: [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'X-Request-Id',
    'Idempotent-Replayed',
  ],
  maxAge: Duration.hours(1),
};

/** A line of the access log: what API Gateway knows, and nothing of what was sent. */
const ACCESS_LOG = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  ms: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  bytes: '$context.responseLength',
  error: '$context.integrationErrorMessage',
};

/** The HTTP API: one route and one function for each entry of the contract, and one function for everything else. */
export class ApiStack extends PlatformStack {
  readonly api: HttpApi;
  /** What the edge sends along, so that the API believes what it says of the visitor. */
  readonly originSecret: string;
  /** Believing the edge. */
  readonly throughTheEdge: Use;
  /** Reading which AI models there are and what they cost. */
  readonly offer: Use;

  constructor(platform: Platform, table: TableStack, hosting: AppHostingStack, builds: BuildsStack) {
    super(platform, 'api', 'The HTTP API and a function for each of its operations');
    const { config, names } = platform;
    this.addStackDependency(table);
    this.addStackDependency(builds);

    this.api = new HttpApi(this, 'Api', {
      apiName: config.prefix,
      description: 'Every path and method of the contract; anything else is a 404 in the standard shape',
      createDefaultStage: false,
      corsPreflight: CORS,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: config.apiRequestsPerSecond, burstLimit: config.apiBurst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            logGroupName: `/aws/vendedlogs/apis/${config.prefix}`,
            retention: LOG_RETENTION,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        ),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'each function checks the key itself, in the same round trip that counts the request (runtime/authentication.ts)',
    });

    const secret = new Secret(this, 'OriginSecret', {
      secretName: names.originSecret,
      description: 'Known to the edge and to the API: a request that carries it came through CloudFront',
      generateSecretString: { excludePunctuation: true, passwordLength: 40 },
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'it vouches for the address of a visitor and for nothing else; a new one takes a deployment of both sides',
    });
    // Dynamic references: CloudFormation fills them in, no template holds the value.
    this.originSecret = SecretValue.secretsManager(names.originSecret).unsafeUnwrap();
    this.throughTheEdge = { variables: { ORIGIN_SECRET: secret.secretValue.unsafeUnwrap() } };

    this.offer = { variables: { AI_RAND_PER_DOLLAR: String(config.aiRandPerDollar) } };
    const extras: Record<Uses, Use[]> = {
      secrets: [hosting.seal],
      builds: [builds.readLogs],
      models: [this.offer],
      signing: [hosting.makeSigning, receivers(platform)],
      registrar: [askRegistrar],
      panel: [hosting.openServerTokens],
    };
    const usesOf = ({ method, uses }: AnyRoute): Use[] => [
      this.throughTheEdge,
      table.read,
      method === 'GET' ? table.count : table.write,
      ...uses.flatMap((use) => extras[use]),
    ];
    for (const route of routes satisfies readonly AnyRoute[]) {
      const made = new PlatformFunction(this, platform, `api/${route.id}`, {
        description: `${route.method} ${route.path}`,
        uses: usesOf(route),
      });
      this.answer(HttpRouteKey.with(route.path, HttpMethod[route.method]), made);
    }
    const notFound = new PlatformFunction(this, platform, 'api/notFound', {
      description: 'Any path or method that is not in the contract',
      uses: [this.throughTheEdge, table.count],
    });
    this.answer(HttpRouteKey.DEFAULT, notFound);
  }

  private answer(routeKey: HttpRouteKey, { node, lambda }: PlatformFunction): void {
    new HttpRoute(this, `${node.id}Route`, {
      httpApi: this.api,
      routeKey,
      // One permission per function, for all of this API: the function has one route.
      integration: new HttpLambdaIntegration(`${node.id}Integration`, lambda, { scopePermissionToRoute: false }),
    });
  }
}
