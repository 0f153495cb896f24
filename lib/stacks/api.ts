import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpRoute,
  HttpRouteIntegration,
  HttpRouteKey,
  HttpStage,
  IntegrationCredentials,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { IGNORED_HEADER } from '../../contract/reference/ignored-fields.ts';
import { listPaths, type Uses } from '../../contract/route.ts';
import { type AnyRoute, routes } from '../../contract/routes.ts';
import { LIVE } from '../constructs/canary.ts';
import { databaseUses } from '../constructs/database-rights.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { LOG_RETENTION } from '../constructs/logs.ts';
import { explainWildcards, policyOf, type Right, type Use } from '../constructs/rights.ts';
import { createSecret, readsSecret } from '../constructs/secrets.ts';
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

/** Returns the sender of emails; without one, none are sent. */
const mailSender = ({ config }: Platform): Use => ({ variables: { MAIL_FROM: config.mailFrom ?? '' } });

/** Cross-origin access of browsers. Each public key restricts its own origins (design, section 4). */
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

/** Returns a route's function timeout in seconds. */
export const timeoutOf = ({ method }: AnyRoute): number => TIMEOUTS_S.api[method === 'GET' ? 'read' : 'write'];

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
 * The HTTP API: one route and one function for each operation of the contract, and one function for all other paths.
 */
export class ApiStack extends PlatformStack {
  readonly api: HttpApi;
  /** Lets a function verify that a request came through the edge. */
  readonly throughTheEdge: Use;
  /** The resources that operations use beyond the table. */
  readonly resources: Readonly<Record<Uses, Use[]>>;
  /** Rights of all operations that only read, and of those that change something or are audited. */
  private readonly basicUses: Record<'read' | 'write', Use[]>;
  /** Names the company on invoices. */
  readonly seller: Use;
  /** Lets a function read the AI models on offer and their prices. */
  readonly offer: Use;

  constructor(
    platform: Platform,
    {
      table,
      hosting,
      builds,
      login,
      billing,
      customDomains,
    }: {
      table: TableStack;
      hosting: AppHostingStack;
      builds: BuildsStack;
      login: LoginStack;
      billing: BillingStack;
      customDomains: CustomDomainsStack;
    },
  ) {
    super(platform, 'api', 'The HTTP API and a function for each of its operations');
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
      // Metrics of each route would cost more than all else of an idle installation; the access log has the same numbers.
      detailedMetricsEnabled: false,
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
      secrets: [hosting.seal],
      builds: [builds.readLogs],
      'app-logs': [hosting.readLogs],
      'app-metrics': [hosting.readMetrics],
      'app-starts': [hosting.queryLogs],
      'app-requests': [hosting.queryLogs],
      models: [this.offer],
      signing: [hosting.makeSigning, receivers(platform)],
      receivers: [receivers(platform)],
      seller: [this.seller],
      registrar: [checkAvailability],
      panel: [hosting.openServerTokens],
      git: [hosting.makeHookSecret, hosting.makeDeployKey, repositories(platform)],
      repositories: [repositories(platform)],
      hooks: [hosting.openHookSecret],
      'new-hook-secret': [hosting.makeHookSecret],
      'new-deploy-key': [hosting.makeDeployKey],
      databases: [databases.region],
      'database-size': [databases.measure],
      'database-passwords': [databases.createPasswords],
      'provider-keys': [hosting.sealProviderKeys],
      payments: [billing.payments],
      dns: [DNS_LOOKUP],
      'edge-endpoint': [customDomains.endpoint],
      'new-server-token': [hosting.sealServerTokens],
      adoption,
      'export-links': [builds.linkExports],
      'mail-sender': [mailSender(platform)],
    };
    this.basicUses = {
      read: [this.throughTheEdge, login.check, table.read, table.count],
      write: [this.throughTheEdge, login.check, table.read, table.write],
    };
    for (const operation of routes) {
      const handler = new PlatformFunction(this, platform, `api/${operation.id}`, {
        description: `${operation.method} ${operation.path}`,
        uses: this.usesOf(operation, this.resources),
        timeout: timeoutOf(operation),
      });
      addRoutes(handler, this.api, operation, gatewayRole(this, platform, 'api'));
    }
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
   * Returns what an operation of the contract uses.
   * @param resources all that it may name
   */
  usesOf<U extends string>({ method, uses, audit }: AnyRoute<U>, resources: Readonly<Record<U, Use[]>>): Use[] {
    const basic = this.basicUses[method === 'GET' && audit === undefined ? 'read' : 'write'];
    return [...basic, ...uses.flatMap((use) => resources[use])];
  }
}

/**
 * Returns the role with which API Gateway invokes the functions of a stack: one resource in place of a permission for each
 * function, which would bring stacks near the limit of 500.
 */
export function gatewayRole(stack: Stack, { names }: Platform, group: string): Role {
  const found = stack.node.tryFindChild('GatewayRole');
  if (found instanceof Role) return found;
  const rights: Right[] = [
    {
      actions: ['lambda:InvokeFunction'],
      on: [names.functionsOf(group, `:${LIVE}`)],
      wildcard: `the functions of this stack, by the group that their names begin with`,
    },
  ];
  const role = new Role(stack, 'GatewayRole', {
    description: `API Gateway: invokes the functions of ${group}`,
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: { invoke: policyOf(rights) },
  });
  explainWildcards(role, rights);
  return role;
}

/** Invokes what is live of a function, with a role (CDK's integration adds a permission to the function). */
class LiveIntegration extends HttpRouteIntegration {
  readonly #handler: PlatformFunction;
  readonly #role: Role;

  constructor(handler: PlatformFunction, role: Role) {
    super(`${handler.node.id}Integration`);
    this.#handler = handler;
    this.#role = role;
  }

  override bind() {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.#handler.live.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      credentials: IntegrationCredentials.fromRole(this.#role),
    };
  }
}

/** Routes an operation's paths, its own and the dashboard's, to its function. */
export function addRoutes(handler: PlatformFunction, httpApi: HttpApi, operation: AnyRoute, role: Role): void {
  const { method, path } = operation;
  const integration = new LiveIntegration(handler, role);
  for (const each of listPaths(operation)) {
    new HttpRoute(Stack.of(handler), `${handler.node.id}${each === path ? '' : 'Dashboard'}Route`, {
      httpApi,
      routeKey: HttpRouteKey.with(each, HttpMethod[method]),
      integration,
    });
  }
}
