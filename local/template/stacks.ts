import { ADMINISTRATOR, BUILD_REGION } from '../addresses.ts';
import { formatErrorLine } from '../console.ts';
import { startAcm } from '../emulators/acm/acm.ts';
import { aiKeys, aiVariables } from '../emulators/ai/ai.ts';
import { startCloudFront } from '../emulators/cloudfront/cloudfront.ts';
import { startKeyValueStore } from '../emulators/cloudfront/key-value-store.ts';
import { startCloudWatch } from '../emulators/cloudwatch/cloudwatch.ts';
import { startCodeBuild } from '../emulators/codebuild/codebuild.ts';
import { buildProjectsOf } from '../emulators/codebuild/projects.ts';
import { startDsql } from '../emulators/dsql/dsql.ts';
import { startUserPool } from '../emulators/login/user-pool.ts';
import { startSecretsManager } from '../emulators/secrets-manager/secrets-manager.ts';
import { startSes } from '../emulators/ses/ses.ts';
import { resolvesTo } from '../engines/dns-answers.ts';
import { createTables, tablesFolder } from '../engines/dynamodb.ts';
import { type EngineOptions, type Engines, hostSettings } from '../engines/engines.ts';
import { createQueuesAndBuckets } from '../engines/queues.ts';
import { functionCredentials } from '../iam/principals.ts';
import { functionsOf } from '../lambda/functions.ts';
import { startLambda } from '../lambda/lambda.ts';
import { startStepFunctions } from '../step-functions/step-functions.ts';
import { cellsIn } from './cells.ts';

export interface StackOptions
  extends Pick<
    EngineOptions,
    'addresses' | 'directory' | 'children' | 'life' | 'strict' | 'principalOf' | 'guard' | 'cells'
  > {
  /** Variables that replace the template's values. */
  overrides: Record<string, string>;
  /** Maximum idle time of an execution environment, in milliseconds. Default: 30,000. */
  idleMs?: number | undefined;
  buildNiceness?: number | undefined;
}

/** Returns the domain of an email address. */
const domainOf = (address: string | undefined) => address?.split('@')[1];

/** Creates the template's resources and starts the services that depend on them. */
export async function startStacks(engines: Engines, options: StackOptions) {
  const { overrides, addresses, directory, life, strict, principalOf, guard } = options;
  const { ports, urls, baseUrl, environment } = addresses;
  const { started } = life;
  const { dnsServer, login, payments, zones } = engines;
  const { template } = engines.synthesis;
  const dataDir = directory.path;
  const common = hostSettings(options);
  guard?.load(template);

  const functions = functionsOf(template, {
    environment,
    credentials: (role, functionArn) => functionCredentials(principalOf, role, functionArn),
    overrides: {
      ...aiVariables(urls.ai, overrides),
      ...login.variables,
      ...payments.variables,
      PUBLIC_URL: baseUrl,
      DNS_SERVERS: `${dnsServer.host}:${dnsServer.port}`,
    },
  });
  const variables: Record<string, string> = Object.assign(
    {},
    ...functions.map((each) => each.environment),
    ADMINISTRATOR,
  );
  delete variables.AWS_SESSION_TOKEN;
  const roles = Object.fromEntries(functions.map(({ name, role }) => [name, role]));
  const cells = cellsIn(template, options.cells);
  const endpointOf = (account: string) =>
    cells.find((cell) => cell.account === account)?.resources.edgeEndpoint ?? String(variables.EDGE_ENDPOINT);
  const stores = template.resources('AWS::CloudFront::KeyValueStore').map(({ arn }) => arn);
  const projects = buildProjectsOf(template, overrides);
  const [keyValueStore, secretsManager] = await Promise.all([
    startKeyValueStore({ dataDir, strict, port: ports.routes, stores }).then(started),
    startSecretsManager({
      dataDir,
      port: ports.secrets,
      secrets: template.resources('AWS::SecretsManager::Secret'),
    }).then(started),
    createTables(engines.dynamoDbUrl, template, tablesFolder(directory)),
    createQueuesAndBuckets(engines.queuesUrl, template),
    startCodeBuild({
      ...common,
      port: ports.builds,
      projects,
      gitRoot: engines.git.root,
      principalOf,
      niceness: options.buildNiceness,
      region: BUILD_REGION,
      // Commands run as the platform's user: outside of a container there is no separate user for them.
      environment: { ...addresses.buildEnvironment, BUILD_USER: 'self' },
    }).then(started),
    startDsql({ ...common, guard, port: ports.databases, region: String(variables.DATABASE_REGION) })
      .then(started)
      .then(({ tagsOf, sizeOf, unitsOf }) => {
        guard?.readTags(tagsOf);
        const clusters = { storageOf: sizeOf, unitsOf };
        return startCloudWatch({ dataDir, strict, accounts: common.accounts, port: ports.metrics, clusters });
      })
      .then(started),
    startSes({
      dataDir,
      strict,
      port: ports.mails,
      identity: domainOf(variables.MAIL_FROM),
      onSent: ({ to, subject }) => console.log(`email to ${to.join(', ')}: ${subject} (${urls.mails}/messages)`),
    }).then(started),
    startUserPool(ports.users, login.users).then(started),
    startCloudFront({
      dataDir,
      port: ports.cloudfront,
      pointsHere: (domain, account) => resolvesTo(zones.zoneOf, domain, endpointOf(account)),
    })
      .then(started)
      .then(({ certificatesOf, deleteCertificate }) =>
        startAcm({ dataDir, strict, port: ports.certificates, certificatesOf, deleteCertificate }),
      )
      .then(started),
  ]);
  // The keys of other services, which operators store on AWS.
  secretsManager.put(String(variables.PAYMENTS_SECRET_NAME), payments.secretKey);
  secretsManager.put(String(variables.AI_KEYS_SECRET_NAME), JSON.stringify(aiKeys(overrides)));
  // Started after the services that functions call, and therefore stopped before them: no function may mistake the shutdown for a failure
  // of a service.
  const lambda = started(
    startLambda({
      functions,
      dataDir,
      idleMs: options.idleMs,
      onErrorOutput: (name, text) => console.error(formatErrorLine(name, text)),
    }),
  );
  engines.appHost.servePlatformFunctions((name, payload) =>
    lambda.has(name) ? lambda.invokeText(name, payload) : undefined,
  );
  // Unfinished executions resume immediately, so the services that they call must already run.
  await startStepFunctions({
    template,
    dataDir,
    port: ports.states,
    lambda,
    principalOf,
  }).then(started);
  return { template, functions, variables, roles, lambda, keyValueStore, secretsManager, cells };
}

export type Stacks = Awaited<ReturnType<typeof startStacks>>;
