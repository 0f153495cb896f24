import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildProjectsOf } from './build-projects.ts';
import { startChildren } from './children.ts';
import { type Reporter, readable } from './console.ts';
import { makeCors } from './cors.ts';
import { openDataDirectory, Trouble } from './data-directory.ts';
import { leadsTo } from './dns-answers.ts';
import { startDnsServer } from './dns-server.ts';
import { createTables, startDynamoDb } from './dynamodb.ts';
import { makeEdge } from './edge.ts';
import { startEventSources } from './event-sources.ts';
import { startFront } from './front.ts';
import { functionsOf, shellOverrides } from './functions.ts';
import { startLambda } from './lambda.ts';
import { isFree } from './ports.ts';
import { createQueuesAndBuckets, startQueues } from './queues.ts';
import { makeRouter, routesOf } from './routes.ts';
import { type Accounts, seedAccounts } from './seed.ts';
import { seedBilling } from './seed-billing.ts';
import { DEMO_DOMAIN, seedDomains } from './seed-domains.ts';
import { seedHostingServers } from './seed-hosting.ts';
import { aiVariables, startAiStandIns } from './stand-ins/ai.ts';
import { startAppHost } from './stand-ins/app-host.ts';
import { startCloudFront } from './stand-ins/cloudfront.ts';
import { startCloudWatchLogs } from './stand-ins/cloudwatch-logs.ts';
import { startCodeBuild } from './stand-ins/code-build.ts';
import { startDatabases } from './stand-ins/databases.ts';
import { startGit } from './stand-ins/git.ts';
import { startKeyValueStore } from './stand-ins/key-value-store.ts';
import { startKms } from './stand-ins/kms.ts';
import { LOGIN_PATH, type LoginFacts, startLogin } from './stand-ins/login.ts';
import { startPanel } from './stand-ins/panel.ts';
import { PAY_PATH, startPayments } from './stand-ins/payments.ts';
import { startRegistrar } from './stand-ins/registrar.ts';
import { startRoute53 } from './stand-ins/route53.ts';
import { startStepFunctions } from './step-functions.ts';
import { streamRoutesOf } from './stream-routes.ts';
import { synthesize } from './synthesis.ts';
import { makeWebApp } from './web-app.ts';

const REGION = 'af-south-1';
const ACCOUNT = '000000000000';
const DOMAIN = 'localhost';

/** Who listens on a port of their own. */
const PORTS = [
  ...(['dynamodb', 'queues', 'kms', 'hosts', 'routes', 'builds', 'states'] as const),
  ...(['ai', 'registrar', 'route53', 'dns', 'panel', 'databases', 'payments', 'logs', 'cloudfront'] as const),
];

export interface PlatformOptions {
  /** The one public port. */
  port: number;
  /** Where all state lives, or `:memory:` for none. */
  dataDir: string;
  /** Where to tell the addresses and keys; `local.json` in the data directory if absent. */
  localJson?: string | undefined;
  /** Directory of bare repositories behind `https://git.localhost/`; the examples if absent. */
  gitRoot?: string | undefined;
  /** Bundle again when a source changes. */
  watch?: boolean;
  /** Variables that override the template's (RATE_LIMIT_SECRET, …). */
  shell: NodeJS.ProcessEnv;
  reporter: Reporter;
  /** An engine ended by itself: the platform cannot go on. */
  onDeath: (message: string) => void;
}

/** What `local.json` tells. */
export interface LocalJson {
  baseUrl: string;
  dashboardUrl: string;
  /** The authoritative name server of the platform's zones. */
  dns: { host: string; port: number };
  accounts: Accounts;
  /** With these a process makes logins of its own. */
  login: LoginFacts;
  /** The variables with which a process acts as one of the platform's functions. */
  environment: Record<string, string>;
}

export interface Platform {
  local: LocalJson;
  /** There was nothing in the data directory before. */
  first: boolean;
  stop(): Promise<void>;
}

/** Starts the whole platform on this machine. Throws {@link Trouble} where the user can help. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { port, reporter, shell } = options;
  const overrides = shellOverrides(shell);
  if (!(await isFree(port))) throw portTaken(port);
  if (options.gitRoot && !existsSync(options.gitRoot))
    throw new Trouble(`LOCAL_GIT_ROOT does not exist: ${options.gitRoot}`);
  const directory = openDataDirectory(options.dataDir);
  const { path: dataDir, temporary } = directory;
  let up = false;
  const children = startChildren(dataDir, {
    temporary,
    onDeath(label, how) {
      // Until then whoever waits for the engine says what is wrong with it.
      if (up) options.onDeath(`${label} ended by itself (${how}); see ${join(dataDir, 'logs')}`);
    },
  });
  // Started last, stopped first.
  const stops: (() => Promise<unknown> | unknown)[] = [() => directory.release(), () => children.stop()];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end();
    if (temporary) rmSync(dataDir, { recursive: true, force: true });
  };
  const started = <T extends { stop(): Promise<unknown> }>(part: T): T => {
    stops.push(() => part.stop());
    return part;
  };
  try {
    const ports = await directory.ports(...PORTS);
    const baseUrl = `http://localhost:${port}`;
    const address = (name: keyof typeof ports): string => `http://127.0.0.1:${ports[name]}`;
    const environment = {
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: address('dynamodb'),
      AWS_ENDPOINT_URL_SQS: address('queues'),
      AWS_ENDPOINT_URL_S3: address('queues'),
      AWS_ENDPOINT_URL_KMS: address('kms'),
      AWS_ENDPOINT_URL_LOGS: address('logs'),
      AWS_ENDPOINT_URL_LAMBDA: address('hosts'),
      // The SDK puts the account before this host, which must therefore be a name (stand-ins/localhost-names.ts).
      AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: `http://localhost:${ports.routes}`,
      AWS_ENDPOINT_URL_CLOUDFRONT: address('cloudfront'),
      AWS_ENDPOINT_URL_CODEBUILD: address('builds'),
      AWS_ENDPOINT_URL_SFN: address('states'),
      AWS_ENDPOINT_URL_ROUTE_53: address('route53'),
      AWS_ENDPOINT_URL_ROUTE_53_DOMAINS: address('registrar'),
      AWS_ENDPOINT_URL_DSQL: address('databases'),
    };

    const engines = { children, region: REGION, accountId: ACCOUNT, dataDir, environment };
    const [synthesis, dynamoDbUrl, queuesUrl, git, login, payments, , appHost, zones] = await Promise.all([
      reporter.step('functions and stacks', () =>
        synthesize({
          dataDir,
          settings: { stage: 'local', domain: DOMAIN, region: REGION, account: ACCOUNT },
          place: { account: ACCOUNT, region: REGION, queueUrl: address('queues'), baseUrl },
          onChange: options.watch ? (files) => changed(files) : undefined,
        }).then(started),
      ),
      reporter.step('table (DynamoDB Local)', () =>
        startDynamoDb({ children, port: ports.dynamodb, folder: temporary ? undefined : join(dataDir, 'dynamodb') }),
      ),
      reporter.step('queues and objects (fauxqs)', () =>
        startQueues({
          children,
          port: ports.queues,
          region: REGION,
          folder: temporary ? undefined : join(dataDir, 'queues'),
        }),
      ),
      startGit({ dataDir, root: options.gitRoot, examples: resolve(import.meta.dirname, '..', 'examples') }),
      startLogin({ dataDir, baseUrl }).then(started),
      startPayments({ dataDir, port: ports.payments, baseUrl }).then(started),
      startKms({ dataDir, port: ports.kms }).then(started),
      startAppHost({ ...engines, port: ports.hosts, s3Url: address('queues') }).then(started),
      startRoute53({ dataDir, port: ports.route53 }).then(started),
      startRegistrar({ dataDir, port: ports.registrar, registered: [DEMO_DOMAIN] }).then(started),
      startCloudWatchLogs({ dataDir, port: ports.logs }).then(started),
    ]);
    const { template } = synthesis;
    const { zoneOf } = zones;
    const dnsServer = await startDnsServer({ port: ports.dns, zoneOf }).then(started);

    const functions = functionsOf(template, {
      environment,
      overrides: {
        ...aiVariables(address('ai'), overrides),
        ...login.variables,
        ...payments.variables,
        PUBLIC_URL: baseUrl,
        DNS_SERVERS: `${dnsServer.host}:${dnsServer.port}`,
      },
    });
    const lambda = started(
      startLambda({
        functions,
        dataDir,
        onComplaint: (name, text) => console.error(readable(name, text)),
      }),
    );
    const changed = (files: string[]): void => {
      for (const { name, file } of functions) {
        if (!files.includes(file)) continue;
        lambda.reload(name);
        reporter.line(`  changed: ${name}`);
      }
    };

    const stores = template.resources('AWS::CloudFront::KeyValueStore').map(({ arn }) => arn);
    const [keyValueStore] = await Promise.all([
      startKeyValueStore({ dataDir, port: ports.routes, stores }).then(started),
      createTables(dynamoDbUrl, template),
      createQueuesAndBuckets(queuesUrl, template),
      startCodeBuild({
        ...engines,
        port: ports.builds,
        projects: buildProjectsOf(template, overrides),
        gitRoot: git.root,
      }).then(started),
    ]);
    await startAiStandIns({ port: ports.ai }).then(started);
    await startPanel({ dataDir, port: ports.panel }).then(started);
    await startStepFunctions({
      template,
      dataDir,
      port: ports.states,
      lambda,
      codeBuildUrl: address('builds'),
    }).then(started);

    const variables = Object.assign({}, ...functions.map((each) => each.environment));
    await startDatabases({ ...engines, port: ports.databases, region: String(variables.DATABASE_REGION) }).then(
      started,
    );
    await startCloudFront({
      dataDir,
      port: ports.cloudfront,
      leadsHere: (domain) => leadsTo(zoneOf, domain, String(variables.DOOR_ADDRESS)),
    }).then(started);
    const appsDomain = `.${variables.APPS_DOMAIN}`;
    const [api] = template.resources('AWS::ApiGatewayV2::Api');
    await startFront({
      port,
      // While sources are watched, a request waits for the code that was just edited.
      lambda: options.watch
        ? { invokeText: (...invocation) => synthesis.fresh().then(() => lambda.invokeText(...invocation)) }
        : lambda,
      route: makeRouter(routesOf(template)),
      streams: new Map(streamRoutesOf(template, functions).map((each) => [each.path, each])),
      cors: makeCors(api?.properties.CorsConfiguration),
      isApp: (host) => host.endsWith(appsDomain) || keyValueStore.lookup(host) !== undefined,
      edge: makeEdge(template, keyValueStore.lookup),
      forward: appHost.forward,
      pages: new Map([
        [LOGIN_PATH, login.handle],
        [PAY_PATH, payments.handle],
      ]),
      webApp: makeWebApp(
        { issuer: login.facts.issuer, clientId: login.facts.clientId, apiUrl: '' },
        { watch: options.watch === true },
      ),
    }).then(started, (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') throw portTaken(port);
      throw error;
    });
    started(startEventSources({ template, lambda, region: REGION, dataDir, dynamoDbUrl, queuesUrl }));

    const [{ accounts, first }] = await Promise.all([
      seedAccounts(join(dataDir, 'accounts.json'), { functions, lambda, login }),
      seedHostingServers(address('panel'), functions, lambda),
    ]);
    if (first) {
      await Promise.all([seedDomains(accounts.demo.id, functions, lambda), seedBilling(accounts, functions, lambda)]);
    }
    const local: LocalJson = {
      ...{ baseUrl, dashboardUrl: `${baseUrl}/dashboard`, accounts, environment: variables },
      dns: { host: dnsServer.host, port: dnsServer.port },
      login: login.facts,
    };
    const localJson = options.localJson ?? join(dataDir, 'local.json');
    mkdirSync(dirname(localJson), { recursive: true });
    writeFileSync(localJson, `${JSON.stringify(local, undefined, 2)}\n`, { mode: 0o600 });
    up = true;
    return { local, first, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const portTaken = (port: number): Trouble =>
  new Trouble(`Port ${port} is taken. End what listens there, or choose another: PORT=${port + 1} npm start`);
