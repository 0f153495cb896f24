import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addressesOf, REGION } from './addresses.ts';
import type { Reporter } from './console.ts';
import { openDataDirectory, Trouble } from './data-directory.ts';
import type { LoginFacts } from './emulators/login/provider.ts';
import { startEngines } from './engines/engines.ts';
import { startEventSources } from './event-sources/event-sources.ts';
import { openFrontDoor } from './gateway/gateway.ts';
import { shellOverrides } from './lambda/functions.ts';
import { startChildren } from './processes/children.ts';
import { isFree } from './processes/ports.ts';
import { lifetime } from './processes/shutdown.ts';
import type { Accounts } from './seeds/accounts.ts';
import { seed } from './seeds/seeds.ts';
import { type Stacks, startStacks } from './template/stacks.ts';

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

/**
 * Starts the whole platform on this machine: engines, then what the template says, then the public port, then what feeds
 * functions by itself; seeds come last. Throws {@link Trouble} where the user can help.
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { port, reporter, gitRoot, watch = false } = options;
  const overrides = shellOverrides(options.shell);
  if (!(await isFree(port))) throw portTaken(port);
  if (gitRoot && !existsSync(gitRoot)) throw new Trouble(`LOCAL_GIT_ROOT does not exist: ${gitRoot}`);
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
  const life = lifetime(
    () => children.stop(),
    () => directory.release(),
    () => temporary && rmSync(dataDir, { recursive: true, force: true }),
  );
  try {
    const addresses = await addressesOf(directory, port);
    const common = { addresses, directory, children, life };
    let stacks: Stacks | undefined;
    const changed = (files: string[]): void => {
      for (const { name } of stacks?.functions.filter(({ file }) => files.includes(file)) ?? []) {
        stacks?.lambda.reload(name);
        reporter.line(`  changed: ${name}`);
      }
    };
    const engines = await startEngines({ ...common, reporter, gitRoot, onChange: watch ? changed : undefined });
    stacks = await startStacks(engines, { ...common, overrides });
    const { template, functions, lambda, variables } = stacks;
    const { dynamoDbUrl, queuesUrl, login, dnsServer } = engines;
    await openFrontDoor({ port, watch, engines, stacks }).then(life.started, (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') throw portTaken(port);
      throw error;
    });
    life.started(startEventSources({ template, lambda, region: REGION, dataDir, dynamoDbUrl, queuesUrl }));
    const { accounts, first } = await seed({ dataDir, panelUrl: addresses.urls.panel, functions, lambda, login });

    const { baseUrl } = addresses;
    const local: LocalJson = {
      ...{ baseUrl, dashboardUrl: `${baseUrl}/dashboard`, accounts, environment: variables },
      dns: { host: dnsServer.host, port: dnsServer.port },
      login: login.facts,
    };
    const localJson = options.localJson ?? join(dataDir, 'local.json');
    mkdirSync(dirname(localJson), { recursive: true });
    writeFileSync(localJson, `${JSON.stringify(local, undefined, 2)}\n`, { mode: 0o600 });
    up = true;
    return { local, first, stop: life.end };
  } catch (error) {
    await life.end();
    throw error;
  }
}

const portTaken = (port: number): Trouble =>
  new Trouble(`Port ${port} is taken. End what listens there, or choose another: PORT=${port + 1} npm start`);
