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
import { Duration, RemovalPolicy, SecretValue, Stack, Validations } from 'aws-cdk-lib/core';
import { pathsOf, type Uses } from '../../contract/route.ts';
import { type AnyRoute, routes } from '../../contract/routes.ts';
import { databaseUses } from '../constructs/database-rights.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { LOG_RETENTION } from '../constructs/logs.ts';
import type { Use } from '../constructs/rights.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { BillingStack } from './billing.ts';
import type { BuildsStack } from './builds.ts';
import { ASK_DNS, type DoorsStack } from './custom-domains.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import { askRegistrar } from './registrar.ts';
import type { TableStack } from './table.ts';
import { receivers } from './webhooks.ts';

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

/** Seconds. A write may wait for its turn where many are at one wallet (domain/billing/wallet.ts); the API itself waits thirty. */
export const timeoutOf = ({ method }: AnyRoute): number => (method === 'GET' ? 10 : 29);

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

/** Where repositories may be: a property of the stage. */
const repositories = ({ config }: Platform): Use => ({
  variables: { ALLOW_LOCAL_REPOSITORIES: String(config.allowLocalRepositories) },
});

/** The HTTP API: one route and one function for each entry of the contract, and one function for everything else. */
export class ApiStack extends PlatformStack {
  readonly api: HttpApi;
  /** What the edge sends along, so that the API believes what it says of the visitor. */
  readonly originSecret: string;
  /** Believing the edge. */
  readonly throughTheEdge: Use;
  /** What an operation of the contract works with. */
  readonly usesOf: (route: AnyRoute) => Use[];
  /** Reading which AI models there are and what they cost. */
  readonly offer: Use;

  constructor(
    platform: Platform,
    {
      table,
      hosting,
      builds,
      login,
      billing,
      doors,
    }: {
      table: TableStack;
      hosting: AppHostingStack;
      builds: BuildsStack;
      login: LoginStack;
      billing: BillingStack;
      doors: DoorsStack;
    },
  ) {
    super(platform, 'api', 'The HTTP API and a function for each of its operations');
    const { config, names } = platform;
    this.addStackDependency(table);
    this.addStackDependency(builds);
    this.addStackDependency(billing);

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
      'app-logs': [hosting.readLogs],
      models: [this.offer],
      signing: [hosting.makeSigning, receivers(platform)],
      registrar: [askRegistrar],
      panel: [hosting.openServerTokens],
      git: [hosting.makeHookSecret, hosting.makeDeployKey, repositories(platform)],
      hooks: [hosting.openHookSecret],
      'new-hook-secret': [hosting.makeHookSecret],
      'new-deploy-key': [hosting.makeDeployKey],
      databases: [databaseUses(platform).region],
      'provider-keys': [hosting.sealProviderKeys],
      payments: [billing.payments],
      dns: [ASK_DNS],
      doors: [doors.address],
    };
    this.usesOf = ({ method, uses }) => [
      this.throughTheEdge,
      login.check,
      table.read,
      method === 'GET' ? table.count : table.write,
      ...uses.flatMap((use) => extras[use]),
    ];
    for (const operation of routes satisfies readonly AnyRoute[]) {
      const made = new PlatformFunction(this, platform, `api/${operation.id}`, {
        description: `${operation.method} ${operation.path}`,
        uses: this.usesOf(operation),
        timeout: timeoutOf(operation),
      });
      route(made, this.api, operation);
    }
    const notFound = new PlatformFunction(this, platform, 'api/notFound', {
      description: 'Any path or method that is not in the contract',
      uses: [this.throughTheEdge, login.check, table.count],
    });
    new HttpRoute(this, 'ApiNotFoundRoute', {
      httpApi: this.api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrationOf(notFound),
    });
  }
}

/** One permission per function, for all of this API: whichever path leads to it. */
const integrationOf = ({ node, lambda }: PlatformFunction) =>
  new HttpLambdaIntegration(`${node.id}Integration`, lambda, { scopePermissionToRoute: false });

/** Leads an operation's paths to its function: its own, and the dashboard's. */
export function route(made: PlatformFunction, httpApi: HttpApi, operation: AnyRoute): void {
  const { method, path } = operation;
  const integration = integrationOf(made);
  for (const each of pathsOf(operation)) {
    new HttpRoute(Stack.of(made), `${made.node.id}${each === path ? '' : 'Dashboard'}Route`, {
      httpApi,
      routeKey: HttpRouteKey.with(each, HttpMethod[method]),
      integration,
    });
  }
}
