import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { openAddressFiles, requireWritable } from './address-files.ts';
import { type LocalCell, REGION, resolveAddresses, SECOND_CELL } from './addresses.ts';
import { formatErrorLine, type Reporter } from './console.ts';
import { failureHint, openDataDirectory, UserError } from './data-directory.ts';
import { removeDirectory } from './directories.ts';
import { accountDirectory } from './emulators/accounts.ts';
import { clusterPortsOf } from './emulators/dsql/dsql.ts';
import { FUNCTIONS } from './emulators/lambda/account.ts';
import type { LoginFacts } from './emulators/login/provider.ts';
import { hasRecords } from './emulators/records.ts';
import { openSessions } from './emulators/sts/sessions.ts';
import { startEngines } from './engines/engines.ts';
import { startEventSources } from './event-sources/event-sources.ts';
import { LOOPBACK } from './gateway/allowed-hosts.ts';
import { startGateway } from './gateway/gateway.ts';
import { createGuard } from './iam/guard.ts';
import { openPrincipals } from './iam/principals.ts';
import { openReport } from './iam/report.ts';
import { shellOverrides } from './lambda/functions.ts';
import { startChildren } from './processes/children.ts';
import { isFree } from './processes/ports.ts';
import { createShutdown } from './processes/shutdown.ts';
import type { Accounts } from './seeds/accounts.ts';
import { migrateItems } from './seeds/migrations.ts';
import { seed } from './seeds/seeds.ts';
import { type Stacks, startStacks } from './template/stacks.ts';

export interface PlatformOptions {
  /** The public port. */
  port: number;
  /** Address that the public port listens on, or a name that resolves to it. Everything else listens on loopback. */
  host?: string | undefined;
  /** Directory of all state. `:memory:` stores nothing. */
  dataDir: string;
  /** Another file for the addresses and keys, in addition to `local.json` in the data directory. Default: none. */
  localJson?: string | undefined;
  /** Directory of bare repositories behind `https://git.localhost/`. Default: the examples. */
  gitRoot?: string | undefined;
  /** Makes the emulators enforce the limits of a new AWS account (emulators/strict.ts). */
  strict?: boolean;
  /** Hosting cells other than the home cell, each in its own account. Default: none. */
  cells?: readonly LocalCell[] | undefined;
  /** Name of a restored table that replaces the template's. */
  table?: string | undefined;
  /** Rebuilds the bundles when a source changes. */
  watch?: boolean;
  /** Checks every request of a role against its policies. Default: true. */
  enforceIam?: boolean;
  /** Directory of the report of used and unused rights (iam/report.ts). Default: none. */
  iamReport?: string | undefined;
  /** Maximum idle time of a function's execution environment, in milliseconds. Default: 30,000. */
  idleMs?: number | undefined;
  /** Niceness of builds. Default: 10. */
  buildNiceness?: number | undefined;
  /** Variables that override the template's (RATE_LIMIT_SECRET, …). */
  shell: NodeJS.ProcessEnv;
  reporter: Reporter;
  /** Called when an engine has ended unexpectedly. The platform cannot continue without it. */
  onExit: (message: string) => void;
}

/** Content of `local.json`. */
export interface LocalJson {
  baseUrl: string;
  dashboardUrl: string;
  /** The authoritative name server of the platform's zones. */
  dns: { host: string; port: number };
  accounts: Accounts;
  /** The settings that a process needs to issue tokens itself. */
  login: LoginFacts;
  /** Environment variables of the platform's functions, for a process that acts as one. */
  environment: Record<string, string>;
  /** Values of the platform's secrets, by name. */
  secrets: Record<string, string>;
  /** ARN of each function's role, by the function's name. */
  roles: Record<string, string>;
  /** Folder of the functions' logs, `<function>.log`. */
  logs: string;
}

export interface Platform {
  local: LocalJson;
  stop(): Promise<void>;
}

/**
 * Starts the whole platform on this machine: the engines, the template's resources, the public port, the event sources,
 * and finally the seeds. Throws a user error for problems that the user can fix.
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { port, host = LOOPBACK, reporter, gitRoot, watch = false, strict = false, enforceIam = true } = options;
  const overrides = shellOverrides(options.shell);
  if (!(await isFree(port))) throw portInUse(port);
  if (gitRoot && !existsSync(gitRoot)) throw new UserError(`LOCAL_GIT_ROOT does not exist: ${gitRoot}`);
  if (options.localJson) requireWritable(options.localJson);
  const directory = openDataDirectory(options.dataDir);
  const { path: dataDir, temporary } = directory;
  let up = false;
  const children = startChildren(dataDir, {
    temporary,
    onExit(label, how) {
      // During the start, the code that waits for the engine reports the problem.
      if (up) options.onExit(`${label} ended unexpectedly (${how}). ${failureHint(dataDir)}`);
    },
  });
  const life = createShutdown(
    () => children.stop(),
    () => directory.release(),
    () => temporary && removeDirectory(dataDir),
  );
  try {
    const addressFiles = openAddressFiles(dataDir, options.localJson);
    const addresses = await resolveAddresses(directory, port, clusterPortsOf(dataDir));
    const sessions = openSessions(dataDir);
    const report = options.iamReport ? openReport(options.iamReport) : undefined;
    const guard = enforceIam
      ? createGuard(sessions, (denial, session) => {
          console.error(formatErrorLine('iam', denial.message));
          report?.onDenied(denial, session);
        })
      : undefined;
    if (guard && report) life.started(report.reporting(guard));
    const principalOf = openPrincipals(sessions, guard);
    const { table, cells = [] } = options;
    requireCells(dataDir, cells);
    const common = { addresses, directory, children, life, strict, guard, principalOf, table, cells };
    let stacks: Stacks | undefined;
    const changed = (files: string[]): void => {
      for (const { name } of stacks?.functions.filter(({ file }) => files.includes(file)) ?? []) {
        stacks?.lambda.reload(name);
        reporter.line(`  changed: ${name}`);
      }
    };
    const engines = await startEngines({ ...common, reporter, gitRoot, onChange: watch ? changed : undefined });
    const { idleMs, buildNiceness } = options;
    stacks = await startStacks(engines, { ...common, overrides, idleMs, buildNiceness });
    const { template, functions, lambda, variables, roles } = stacks;
    const { dynamoDbUrl, queuesUrl, login, dnsServer } = engines;
    if (!temporary) await migrateItems({ functions, lambda, reporter });
    await startGateway({ port, host, watch, engines, stacks }).then(life.started, (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') throw portInUse(port);
      if (UNUSABLE_HOST.includes(error.code ?? ''))
        throw new UserError(`HOST is not an address of this machine: ${host}`);
      throw error;
    });
    life.started(startEventSources({ template, lambda, region: REGION, dataDir, dynamoDbUrl, queuesUrl, principalOf }));
    const accounts = await seed({
      dataDir,
      cells: stacks.cells,
      panelUrl: addresses.urls.panel,
      functions,
      lambda,
      login,
    });

    const { baseUrl } = addresses;
    const local: LocalJson = {
      baseUrl,
      dashboardUrl: `${baseUrl}/dashboard`,
      accounts,
      environment: variables,
      roles,
      dns: { host: dnsServer.host, port: dnsServer.port },
      login: login.facts,
      secrets: stacks.secretsManager.values(),
      logs: join(dataDir, 'logs'),
    };
    addressFiles.write(local);
    up = true;
    // Saved now for the next start, because this run may be killed.
    flushCompileCache();
    return { local, stop: life.end };
  } catch (error) {
    await life.end();
    throw error;
  }
}

/** Errors of a server whose address does not belong to this machine. */
const UNUSABLE_HOST = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

/** Throws a user error if the data directory has applications in a cell that the run lacks. */
function requireCells(dataDir: string, cells: readonly LocalCell[]): void {
  if (cells.length > 0 || !hasRecords(join(accountDirectory(dataDir, SECOND_CELL.account), FUNCTIONS))) return;
  throw new UserError(`The data in ${dataDir} is of a run with two hosting cells. Start it with CELLS=2.`);
}

const portInUse = (port: number): UserError =>
  new UserError(
    `Port ${port} is in use. Stop the program that listens on it, or choose another port: PORT=${port + 1} npm start`,
  );
