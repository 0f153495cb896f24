import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createZip, type PackedContent, packContentThreaded, type Zip } from '../../providers/archives/zip.ts';
import type { Job } from '../../providers/builds/builds.ts';
import { quoteWord } from '../../providers/builds/detection/command-line.ts';
import type { Start } from '../detect/existing-start.ts';
import { preloadsModules } from '../detect/node-options.ts';
import { refusePasswords } from '../job/passwords.ts';
import { assertFits } from './size.ts';
import type { Item } from './tree.ts';

/** Number of files compressed concurrently. */
const CONCURRENCY = 32;

const PROGRAM = 0o100755;
const FILE = 0o100644;
const LINK = 0o120777;

/** Matches Node options that load modules before `--import` does: these modules would not have the application's variables. */
const LOADS_EARLY = /^(-r|--require)\b/;
/** Variables that Node reads at its start, before `--import` has decrypted the application's variables. */
const READ_EARLY = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];
/** Variables that the host sets. */
const HOST_VARIABLES = ['PORT'];

/**
 * Returns the script that the host runs: it decrypts the environment and starts the application. The application's variables override the
 * variables set here:
 * - `HOSTNAME` and `HOST`: Next.js and other servers listen only on these, which would otherwise be the machine's name.
 * - `PROTOCOL_HEADER`: SvelteKit's server reads the visitor's protocol from this header and compares it with `Origin`. Without it, all
 *   visitors count as HTTPS visitors.
 * - `NG_…`: Angular's server answers 400 to hosts that its configuration does not list, and logs each proxy header. Trusting both is safe,
 *   because the edge forwards only the application's hosts and overwrites these headers.
 * @param directory the application's directory in the artifact
 * @param variables names of the application's variables
 */
export function runScript(start: Start, directory: string, variables: readonly string[] = []): string {
  const at = posix.join(directory, start.kind === 'site' ? '' : start.directory);
  const service = `${posix.relative(at, '.') || '.'}/.service`;
  const isLate = needsVariablesEarly(start, variables);
  const environment = start.kind === 'node' ? Object.entries(start.environment) : [];
  const lines = [
    '#!/bin/sh',
    'export NODE_ENV=production HOST=0.0.0.0 HOSTNAME=0.0.0.0',
    'export PROTOCOL_HEADER=x-forwarded-proto',
    "export NG_ALLOWED_HOSTS='*' NG_TRUST_PROXY_HEADERS=x-forwarded-host,x-forwarded-proto,x-forwarded-port,x-forwarded-for",
  ];
  if (at !== '.') lines.push(`cd ${quoteWord(at)} || exit 1`);
  for (const [name, value] of environment) {
    if (HOST_VARIABLES.includes(name) || isAssignedLate(name, value)) continue;
    lines.push(`export ${assignment(name, value)}`);
  }
  const node = ['exec', 'node', '--import', `${service}/environment.mjs`, ...startWords(start, service, isLate)];
  return [...lines, node.join(' '), ''].join('\n');
}

/** Returns an assignment of a variable. Node options are appended to those of the host. */
const assignment = (name: string, value: string): string =>
  `${name}=${name === 'NODE_OPTIONS' ? '"$NODE_OPTIONS "' : ''}${quoteWord(value)}`;

/**
 * Returns true for Node options that preload modules: they are set only for the application's own process, which has its variables. Other
 * options come before the variable `NODE_OPTIONS`, which overrides them.
 */
const isAssignedLate = (name: string, value: string): boolean => name === 'NODE_OPTIONS' && preloadsModules(value);

/** Returns true if Node, as it starts, loads modules or reads variables for which it needs the application's variables. */
const needsVariablesEarly = (start: Start, variables: readonly string[]): boolean =>
  start.kind === 'node' &&
  (start.options.some((option) => LOADS_EARLY.test(option)) ||
    preloadsModules(start.environment.NODE_OPTIONS) ||
    READ_EARLY.some((name) => variables.includes(name)));

/**
 * Returns the words after `node` and the platform's options.
 * @param service the directory of the platform's files
 * @param isLate true if the application starts in a process of its own, after its variables have been decrypted
 */
function startWords(start: Start, service: string, isLate: boolean): string[] {
  switch (start.kind) {
    case 'site': {
      const site = start.directory === '' ? '.' : start.directory;
      return [`${service}/site-server.mjs`, quoteWord(site), ...(start.single ? ['--single'] : [])];
    }
    case 'export': {
      const files = start.files === undefined ? [] : [quoteWord(start.files)];
      return [`${service}/site-server.mjs`, ...files, `--handler=${quoteWord(start.module)}`];
    }
    case 'shell':
      return [`${service}/launch.mjs`, quoteWord(start.command)];
    case 'node': {
      const { options, file, args, environment } = start;
      const words = [...options, file, ...args].map(quoteWord);
      if (!isLate) return words;
      const assigned = Object.entries(environment).filter(([name, value]) => isAssignedLate(name, value));
      const assignments = assigned.map(([name, value]) => assignment(name, value));
      return [`${service}/launch.mjs`, quoteWord([...assignments, 'node', ...words].join(' '))];
    }
  }
}

export interface Service {
  job: Pick<Job, 'variables' | 'env' | 'hostArn' | 'keyRegion' | 'databases' | 'databasePasswords' | 'logKibPerMinute'>;
  start: Start;
  /** The application's directory in the artifact; empty for the artifact itself. */
  directory: string;
  modules: RuntimeModules;
  /**
   * Distinguishes the release from the previous one even if the repository did not change, so that deploying again
   * restarts the application.
   */
  release: { deploymentId: string; commitSha: string };
}

/** The bundled programs of the platform that run together with an application. */
export interface RuntimeModules {
  /** environment.ts */
  environment: Buffer;
  /** launch.ts */
  launch: Buffer;
  /** preload.ts */
  preload: Buffer;
  /** site-server.ts */
  siteServer: Buffer;
}

/** Packs the application and the platform's files. Throws BuildFailure if it is too large to host, or contains a password of the build. */
export async function pack(items: readonly Item[], service: Service): Promise<Buffer> {
  assertFits(items, service.start, service.directory);
  const zip = createZip();
  addService(zip, service);
  await addItems(zip, items, refusePasswords(service.job));
  return zip.end();
}

/** Adds the platform's files. */
function addService(zip: Zip, { job, start, directory, modules, release }: Service): void {
  zip.add('run.sh', Buffer.from(runScript(start, directory, Object.keys(job.variables))), PROGRAM);
  zip.add('.service/environment.mjs', modules.environment, FILE);
  zip.add('.service/launch.mjs', modules.launch, FILE);
  zip.add('.service/preload.cjs', modules.preload, FILE);
  if (start.kind === 'site' || start.kind === 'export') zip.add('.service/site-server.mjs', modules.siteServer, FILE);
  const { env, hostArn, keyRegion, logKibPerMinute, databases } = job;
  const settings = {
    release,
    env: env && { ...env, hostArn, keyRegion },
    limits: logKibPerMinute !== undefined && { logKibPerMinute },
    databases: databases.length > 0 && databases,
  };
  for (const [name, content] of Object.entries(settings)) {
    if (content) zip.add(`.service/${name}.json`, Buffer.from(JSON.stringify(content)), FILE);
  }
}

/**
 * Adds the items in order, whichever is compressed first, so that the same files produce the same archive. Compresses several concurrently.
 * @param refuse throws for a file that must not be in a release
 */
async function addItems(
  zip: Zip,
  items: readonly Item[],
  refuse: (path: string, content: Buffer) => void,
): Promise<void> {
  // Content that was compressed before its predecessors. It is removed when it is added, so that memory does not hold all files twice.
  const ready = new Map<number, PackedContent>();
  // Begins with the largest: one that begins last would be compressed while the other processors are idle.
  const toCompress = [...items.entries()].sort(([, a], [, b]) => b.size - a.size).values();
  const toAdd = items.entries();
  let next = toAdd.next();
  const addReady = (): void => {
    for (; !next.done; next = toAdd.next()) {
      const [index, { path, link, executable }] = next.value;
      const content = ready.get(index);
      if (!content) return;
      ready.delete(index);
      zip.add(path, content, link !== undefined ? LINK : executable ? PROGRAM : FILE);
    }
  };
  const work = async (): Promise<void> => {
    for (const [index, { path, source, link }] of toCompress) {
      // Yields, because threads that compress large files wait for this thread between two pieces.
      await nextTurn();
      // Reads synchronously: the build has just written the files, and an asynchronous read takes ten times as long.
      const content = link === undefined ? readFileSync(source) : Buffer.from(link);
      refuse(path, content);
      ready.set(index, await packContentThreaded(content));
      addReady();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}
