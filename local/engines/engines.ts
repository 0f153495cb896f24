import { join, resolve } from 'node:path';
import { ACCOUNT, type Addresses, type LocalCell, REGION } from '../addresses.ts';
import type { Reporter } from '../console.ts';
import type { DataDirectory } from '../data-directory.ts';
import { startAiEmulators } from '../emulators/ai/ai.ts';
import { startCloudWatchLogs } from '../emulators/cloudwatch-logs/cloudwatch-logs.ts';
import { startGit } from '../emulators/git/git.ts';
import { startPanel } from '../emulators/hosting-panel/panel.ts';
import { startKms } from '../emulators/kms/kms.ts';
import { startAppHost } from '../emulators/lambda/app-host.ts';
import { startLogin } from '../emulators/login/login.ts';
import { startPayments } from '../emulators/payments/payments.ts';
import { startRoute53 } from '../emulators/route53/route53.ts';
import { startRegistrar } from '../emulators/route53-domains/registrar.ts';
import { startServiceQuotas } from '../emulators/service-quotas/service-quotas.ts';
import { startSts } from '../emulators/sts/sts.ts';
import { authorizeRequests } from '../emulators/wire.ts';
import { startAuthorizerServer } from '../iam/authorizer-server.ts';
import type { Guard } from '../iam/guard.ts';
import { functionCredentials, type PrincipalOf } from '../iam/principals.ts';
import type { Children } from '../processes/children.ts';
import type { ShutdownStack } from '../processes/shutdown.ts';
import { DEMO_DOMAIN } from '../seeds/domains.ts';
import { localSettings } from '../template/settings.ts';
import { synthesize } from '../template/synthesis.ts';
import { startDnsServer } from './dns-server.ts';
import { startDynamoDb, tablesFolder } from './dynamodb.ts';
import { startQueues } from './queues.ts';

export interface EngineOptions {
  reporter: Reporter;
  /** Directory of bare repositories. Default: the examples. */
  gitRoot: string | undefined;
  addresses: Addresses;
  directory: Pick<DataDirectory, 'path' | 'temporary'>;
  children: Children;
  /** The hosting cells other than the home cell. */
  cells: readonly LocalCell[];
  /** Name of a restored table that replaces the template's. */
  table?: string | undefined;
  /** Makes the emulators enforce the limits of a new AWS account. */
  strict: boolean;
  life: ShutdownStack;
  principalOf: PrincipalOf;
  /** Authorizes the requests of roles; undefined allows all. */
  guard: Guard | undefined;
  /** Called with the changed bundles. If undefined, sources are not watched. */
  onChange: ((files: string[]) => void) | undefined;
}

/** Returns the AWS accounts of a run: the home account and those of the other hosting cells. */
const accountsOf = (cells: readonly LocalCell[]): string[] => [ACCOUNT, ...cells.map(({ account }) => account)];

/** Returns the settings of emulators that run child processes. */
export const hostSettings = ({
  addresses,
  children,
  directory,
  strict,
  cells,
}: Pick<EngineOptions, 'addresses' | 'children' | 'directory' | 'strict' | 'cells'>) => ({
  children,
  strict,
  accounts: accountsOf(cells),
  region: REGION,
  accountId: ACCOUNT,
  dataDir: directory.path,
  environment: addresses.environment,
});

/** Starts everything that does not depend on the template in parallel with the synthesis, which takes as long. */
export async function startEngines(options: EngineOptions) {
  const { addresses, directory, children, life, reporter, strict, principalOf, guard } = options;
  const { ports, urls, baseUrl } = addresses;
  const { started } = life;
  authorizeRequests(guard?.authorize);
  const dataDir = directory.path;
  const folder = (name: string) => (directory.temporary ? undefined : join(dataDir, name));
  const [synthesis, dynamoDbUrl, queuesUrl, git, login, payments, panel, appHost, zones] = await Promise.all([
    reporter.step('functions and stacks', () =>
      synthesize({
        dataDir,
        settings: localSettings(options.table, options.cells),
        location: { account: ACCOUNT, region: REGION, queueUrl: urls.queues, baseUrl },
        onChange: options.onChange,
      }).then(started),
    ),
    reporter.step('table', () =>
      startDynamoDb({
        children,
        port: ports.dynamodb,
        folder: tablesFolder(directory),
        rights: guard && { sessionsDir: dataDir, authorizerUrl: urls.iam },
      }),
    ),
    reporter.step('queues and objects (fauxqs)', () =>
      startQueues({
        children,
        port: ports.queues,
        region: REGION,
        sessionsDir: dataDir,
        folder: folder('queues'),
        authorizerUrl: guard && urls.iam,
      }),
    ),
    startGit({
      dataDir,
      port: ports.git,
      root: options.gitRoot,
      examples: resolve(import.meta.dirname, '../..', 'examples'),
    }).then(started),
    startLogin({ dataDir, baseUrl }).then(started),
    startPayments({ dataDir, port: ports.payments, baseUrl }).then(started),
    startPanel({ dataDir, port: ports.panel, baseUrl }).then(started),
    startAppHost({
      ...hostSettings(options),
      environment: addresses.appEnvironment,
      credentials: (role, functionArn) => functionCredentials(principalOf, role, functionArn),
      port: ports.hosts,
      s3Url: urls.queues,
    }).then(started),
    startRoute53({ dataDir, strict, port: ports.route53 }).then(started),
    startKms({ dataDir, port: ports.kms }).then(started),
    startSts({ dataDir, port: ports.sts }).then(started),
    startRegistrar({ dataDir, strict, port: ports.registrar, registered: [DEMO_DOMAIN] }).then(started),
    startCloudWatchLogs({ dataDir, strict, accounts: accountsOf(options.cells), port: ports.logs }).then(started),
    startServiceQuotas({ port: ports.quotas }).then(started),
    startAiEmulators({ port: ports.ai }).then(started),
    guard && startAuthorizerServer(ports.iam, guard).then(started),
  ]);
  const dnsServer = started(await startDnsServer({ port: ports.dns, zoneOf: zones.zoneOf }));
  return { synthesis, dynamoDbUrl, queuesUrl, git, login, payments, panel, appHost, zones, dnsServer };
}

export type Engines = Awaited<ReturnType<typeof startEngines>>;
