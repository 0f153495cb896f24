import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  HttpApi,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { IGNORED_HEADER } from '../../contract/reference/ignored-fields.ts';
import type { Uses } from '../../contract/route.ts';
import { type AnyRoute, routes } from '../../contract/routes.ts';
import { databaseUses } from '../constructs/database-rights.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { addRoutes, gatewayRole, LiveIntegration } from '../constructs/gateway.ts';
import { LOG_RETENTION } from '../constructs/logs.ts';
import type { Use } from '../constructs/rights.ts';
import { createSecret, readsSecret } from '../constructs/secrets.ts';
import { isOf } from './api-parts.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { BillingStack } from './billing.ts';
import type { BuildsStack } from './builds.ts';
import { type CustomDomainsStack, DNS_LOOKUP } from './custom-domains.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import { adoption, checkAvailability } from './registrar.ts';
import type { TableStack } from './table.ts';
import { receivers } from './webhooks.ts';

/** Returns the settings that name the company on invoices. */
const seller = ({ config }: Platform): Use => ({
  variables: {
    SELLER_NAME: config.sellerName,
    SELLER_ADDRESS: config.sellerAddress,
    SELLER_VAT_NUMBER: config.sellerVatNumber,
  },
});

/** Returns the setting of the emails' sender. Without a sender, no emails are sent. */
const mailSender = ({ config }: Platform): Use => ({ variables: { MAIL_FROM: config.mailFrom ?? '' } });

/** Cross-origin access of browsers. Each public key additionally restricts its origins. */
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
  allowHeaders: ['Authorization', 'X-Public-Key', 'Content-Type', 'Idempotency-Key', 'X-Account-Id'],
  exposeHeaders: [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'X-Request-Id',
    'Idempotent-Replayed',
    IGNORED_HEADER,
  ],
  maxAge: Duration.hours(1),
};

/** Fields of an access log line. Request content is never logged. */
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

/** Returns the setting that allows repositories on the local machine, which depends on the stage. */
const repositories = ({ config }: Platform): Use => ({
  variables: { ALLOW_LOCAL_REPOSITORIES: String(config.allowLocalRepositories) },
});

/**
 * The HTTP API: one route and one function for each operation of the contract, and one function for all other paths. Some operations are in
 * separate stacks (api-parts.ts).
 */
export class ApiStack extends PlatformStack {
  readonly api: HttpApi;
  /** Lets a function verify that a request came through the edge. */
  readonly throughTheEdge: Use;
  /** The resources that operations use in addition to the table. */
  readonly resources: Readonly<Record<Uses, Use[]>>;
  /** Rights of all operations that only read, and of all operations that write or are audited. */
  private readonly basicUses: Record<'read' | 'write', Use[]>;
  /** Names the company on invoices. */
  readonly seller: Use;
  /** Gives a function the exchange rate for the prices of AI models. */
  readonly offer: Use;
  private readonly platform: Platform;

  constructor(
    platform: Platform,
    {
      table,
      appHosting,
      builds,
      login,
      billing,
      customDomains,
    }: {
      table: TableStack;
      appHosting: AppHostingStack;
      builds: BuildsStack;
      login: LoginStack;
      billing: BillingStack;
      customDomains: CustomDomainsStack;
    },
  ) {
    super(platform, 'api', 'The HTTP API and a function for each of its operations');
    this.platform = platform;
    const { config, names } = platform;
    this.addStackDependency(table);
    this.addStackDependency(builds);
    this.addStackDependency(billing);

    this.api = new HttpApi(this, 'Api', {
      apiName: config.prefix,
      description: 'Every path and method of the contract; other requests receive a 404 in the standard error shape',
      createDefaultStage: false,
      corsPreflight: CORS,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      // Metrics for each route would cost more than the rest of an idle installation. The access log has the same information.
      detailedMetricsEnabled: false,
      throttle: { rateLimit: config.apiRequestsPerSecond, burstLimit: config.apiBurst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            logGroupName: names.accessLog,
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
        'each function authenticates the key in the same round trip that counts the request (runtime/http/identify.ts)',
    });

    createSecret(this, 'OriginSecret', names.originSecret, {
      description: 'Shared by the edge and the API: a request that carries it came through CloudFront',
      generateSecretString: { excludePunctuation: true, passwordLength: 40 },
      reason: 'it only proves the origin of the visitor’s address; the edge learns a new value from its deployment',
    });
    this.throughTheEdge = readsSecret('ORIGIN_SECRET_NAME', names.originSecret);

    this.seller = seller(platform);
    this.offer = { variables: { AI_RAND_PER_DOLLAR: String(config.aiRandPerDollar) } };
    const databases = databaseUses(platform);
    this.resources = {
      secrets: [appHosting.seal],
      builds: [builds.readLogs],
      'app-logs': [appHosting.readLogs],
      'app-metrics': [appHosting.readMetrics],
      'app-starts': [appHosting.queryLogs],
      'app-requests': [appHosting.queryLogs],
      models: [this.offer],
      signing: [appHosting.createSigningSecret, receivers(platform)],
      receivers: [receivers(platform)],
      seller: [this.seller],
      registrar: [checkAvailability],
      panel: [appHosting.openServerTokens],
      git: [appHosting.createHookSecret, appHosting.createDeployKey, repositories(platform)],
      repositories: [repositories(platform)],
      hooks: [appHosting.openHookSecret],
      'new-hook-secret': [appHosting.createHookSecret],
      'new-deploy-key': [appHosting.createDeployKey],
      databases: [databases.region],
      'database-size': [databases.measure],
      'database-passwords': [databases.createPasswords],
      'provider-keys': [appHosting.sealProviderKeys],
      payments: [billing.payments],
      dns: [DNS_LOOKUP],
      'edge-endpoint': [customDomains.endpoint],
      'new-server-token': [appHosting.sealServerTokens],
      adoption,
      'export-links': [builds.linkExports],
      'mail-sender': [mailSender(platform)],
    };
    this.basicUses = {
      read: [this.throughTheEdge, login.check, table.read, table.count],
      write: [this.throughTheEdge, login.check, table.read, table.write],
    };
    this.addOperations(this, 'api', routes.filter(isOf('api')), this.resources);
    const notFound = new PlatformFunction(this, platform, 'api/notFound', {
      description: 'Answers any path or method outside the contract: 404, or a redirect to a page',
      uses: [this.throughTheEdge, login.check, table.count],
    });
    new HttpRoute(this, 'ApiNotFoundRoute', {
      httpApi: this.api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: new LiveIntegration(notFound, gatewayRole(this, platform, 'api')),
    });
  }

  /**
   * Adds operations of the contract to a stack: a function for each operation, and its routes.
   * @param group group in the functions' names
   * @param resources the resources that the operations may use
   */
  addOperations<U extends string>(
    stack: Stack,
    group: string,
    operations: readonly AnyRoute<U>[],
    resources: Readonly<Record<U, Use[]>>,
  ): void {
    for (const operation of operations) {
      const { id, method, path, uses, audit } = operation;
      const isRead = method === 'GET';
      const basic = this.basicUses[isRead && audit === undefined ? 'read' : 'write'];
      const handler = new PlatformFunction(stack, this.platform, `${group}/${id}`, {
        description: `${method} ${path}`,
        uses: [...basic, ...uses.flatMap((use) => resources[use])],
        timeout: TIMEOUTS_S.api[isRead ? 'read' : 'write'],
      });
      addRoutes(handler, this.api, operation, gatewayRole(stack, this.platform, group));
    }
  }
}
