import { existsSync, globSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import type { Job } from '../../providers/builds/builds.ts';
import { quoteWord } from '../../providers/builds/detection/command-line.ts';
import type { Framework } from '../../providers/builds/detection/frameworks.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { declaredStarts, inPrecedence, parseProcfile } from '../../providers/builds/detection/procfile.ts';
import {
  type DividedScript,
  divideStartScript,
  type StartScript,
  startScriptOf,
  wrapsFile,
} from '../../providers/builds/detection/start-script.ts';
import { BuildFailure } from '../failure.ts';
import { findProgram, runsProgram } from './bin.ts';
import { ECOSYSTEM, ecosystemCommand } from './ecosystem.ts';
import { isFile, isOutside, resolveFile } from './files.ts';
import { existingOptions, withoutMissingFiles } from './node-options.ts';
import { assertOwnFramework, isDefaultStartFile, notFound, siteNotFound } from './not-found.ts';
import { isOwnNextServer } from './own-server.ts';
import { packagesBelow } from './packages.ts';
import { procfileOf } from './procfile.ts';
import {
  type Declared,
  warnOfCommands,
  warnOfParallel,
  warnOfReplaced,
  warnOfVariables,
  within,
} from './replaced-start.ts';

/** The way in which a release starts. Directories are relative to the application's. */
export type Start =
  | {
      kind: 'node';
      directory: string;
      options: readonly string[];
      file: string;
      args: readonly string[];
      environment: Readonly<Record<string, string>>;
    }
  | { kind: 'shell'; directory: string; command: string }
  /** `single`: unknown paths get the front page. */
  | { kind: 'site'; directory: string; single: boolean };

/** A start and its origin, for the owner. */
export interface FoundStart {
  start: Start;
  /** The origin, such as `start script`; undefined for the setting startFile. */
  from: string | undefined;
  /** Note for the owner about commands that are not run, or variables that are not set. */
  warning?: string;
}

/** An application after its build. */
export interface BuiltApplication {
  /** The application's directory. */
  directory: string;
  /** The repository, which may contain the application in a subdirectory. */
  repository: string;
  settings: Pick<Job, 'framework' | 'startFile' | 'startCommand' | 'variables'>;
  manifest: Manifest | undefined;
  framework: Framework | undefined;
  /** True if the package has a `build` script that the settings did not run. */
  skippedBuild: boolean;
}

/** The origin of a server that a script runs beside programs for development. */
export const ONLY_SERVER = 'only server of the start script';
/** Files that start an application without a known framework and without a start script. */
const USUAL_FILES = ['dist', 'build', '', 'src'].flatMap((directory) =>
  ['server', 'index', 'main', 'app'].flatMap((name) =>
    ['.js', '.mjs', '.cjs'].map((extension) => posix.join(directory, name + extension)),
  ),
);
/** Usual output directories of static sites without a known framework. */
const USUAL_SITES = ['dist', 'build', 'out', '_site', 'public'];

/** Returns the directory of a file, empty for the application's own. */
const directoryOf = (file: string): string => posix.dirname(posix.normalize(file)).replace(/^\.$/, '');

/** Returns a start of one file without options. */
const nodeFile = (file: string): Start => ({
  kind: 'node',
  directory: '',
  options: [],
  file,
  args: [],
  environment: {},
});

/**
 * Finds the start of the application: from the owner's settings, else from its Procfile, start script, `main` or framework. Throws
 * BuildFailure with advice for the owner.
 */
export function findStart(app: BuiltApplication): FoundStart {
  const { settings, manifest } = app;
  const { startCommand, startFile } = settings;
  if (startCommand !== null) {
    const command = divideStartScript(startCommand, packagesBelow(app.directory, manifest));
    const found = startOf(app, command);
    if (found === undefined && command.start.kind === 'site')
      throw siteNotFound(app.directory, command.start.directory);
    return declaredStart(
      settings,
      'startCommand',
      command,
      found ?? { kind: 'shell', directory: '', command: startCommand },
    );
  }
  const divided = startScriptOf(manifest, packagesBelow(app.directory, manifest));
  const fromScript = divided && startOf(app, divided);
  const procfile = readProcfile(app);
  const [declared] = inPrecedence<FoundStart>(
    procfile.web && procfile.start && declaredStart(settings, 'Procfile', procfile.web, procfile.start),
    divided && fromScript && declaredStart(settings, 'start script', divided, fromScript),
  );
  const isDeclaredFirst = declared && isDefaultStartFile(settings) && takesPrecedence(app, declared.start);
  if (isFile(app, startFile) && !isDeclaredFirst) {
    return startFileOf(app, [
      { from: 'start script', script: divided, start: fromScript },
      { from: 'Procfile', script: procfile.web, start: procfile.start },
    ]);
  }
  if (!isDefaultStartFile(settings)) throw notFound(app, undefined);
  const found = declared ?? findUndeclared(app, divided, procfile);
  const warning = found.warning ?? (found.from === 'Procfile' ? undefined : warnOfParallel(app, found.start));
  return warning === undefined ? found : { ...found, warning };
}

/** Returns a start that a script declares, with a warning if it is started without variables that the script sets. */
function declaredStart(
  settings: BuiltApplication['settings'],
  from: string,
  script: DividedScript,
  start: Start,
): FoundStart {
  const warning = warnOfVariables(settings, from, script, start);
  return { start, from, ...(warning === undefined ? {} : { warning }) };
}

/** Returns the start of the start file, with a warning if it replaces a declared start that does more than start the same server. */
function startFileOf(app: BuiltApplication, declared: readonly Declared[]): FoundStart {
  const { startFile } = app.settings;
  if (/\.html$/.test(startFile))
    return { start: { kind: 'site', directory: directoryOf(startFile), single: false }, from: undefined };
  const found = { start: nodeFile(startFile), from: undefined };
  const [warning] = isDefaultStartFile(app.settings)
    ? declared.flatMap((replaced) => warnOfCommands(app, replaced) ?? warnOfReplaced(app, replaced) ?? [])
    : [];
  return warning === undefined ? found : { ...found, warning };
}

/**
 * Returns true if a start script takes precedence over the default start file: if it starts the same file with options or by way of another
 * program, or if it starts the owner's own server while the default start file is the server that the framework's build creates.
 */
function takesPrecedence(app: BuiltApplication, script: Start): boolean {
  const { settings, framework, directory, repository, manifest } = app;
  const { startFile } = settings;
  if (script.kind === 'shell' && script.directory === '') {
    const isProvided = (program: string) =>
      program.includes('/')
        ? isFile(app, program)
        : findProgram(directory, repository, manifest, program) !== undefined;
    return wrapsFile(script, (word) => resolveFile(app, word) === startFile, isProvided);
  }
  if (script.kind !== 'node' || /(^|\/)node_modules\//.test(script.file)) return false;
  if (script.file === startFile) return script.directory === '';
  const isBuildOutput = framework?.server?.includes(startFile) === true;
  return isBuildOutput && isOwnNextServer(directory, join(script.directory, script.file));
}

/** Finds the start of an application whose start script and Procfile do not lead to an existing file. */
function findUndeclared(
  app: BuiltApplication,
  divided: DividedScript | undefined,
  { web, worker }: Procfile,
): FoundStart {
  const { manifest, framework } = app;
  const hasBuildOutput = framework?.server !== undefined || framework?.site !== undefined;
  const main = manifest?.main === undefined || hasBuildOutput ? undefined : resolveFile(app, manifest.main);
  if (main !== undefined) return { start: nodeFile(main), from: 'main of package.json' };
  if (web) assertOwnFramework(web, 'Procfile');
  if (divided) assertOwnFramework(divided, 'start script');
  const fromFramework = frameworkStart(app);
  if (fromFramework) return { start: fromFramework, from: framework?.name };
  const only = onlyServer(app);
  if (only?.start.kind === 'node') return only;
  // A missing server is not replaced by files that happen to exist.
  const expectsServer = divided !== undefined && divided.start.kind !== 'development' && divided.start.kind !== 'site';
  if (!expectsServer && !hasBuildOutput) {
    const usual = USUAL_FILES.find((file) => isFile(app, file));
    if (usual !== undefined) return { start: nodeFile(usual), from: 'usual file name' };
    const site = USUAL_SITES.find((directory) => isFile(app, `${directory}/index.html`));
    if (site !== undefined) return { start: { kind: 'site', directory: site, single: false }, from: 'index.html' };
    if (isFile(app, 'index.html') && manifest?.scripts.build === undefined) {
      return { start: { kind: 'site', directory: '', single: false }, from: 'index.html' };
    }
  }
  if (only) return only;
  if (worker !== undefined) {
    throw new BuildFailure(
      'The Procfile has a worker and no web process: background workers are not hosted, only applications that answer requests.',
    );
  }
  throw notFound(app, divided);
}

/**
 * Returns the only server of the commands that a Procfile or a start script runs at the same time; undefined if there is none. Such scripts
 * are meant for development: beside the development server of a site, the only "server" may be one of sample data (`json-server`).
 */
function onlyServer(app: BuiltApplication): FoundStart | undefined {
  const packages = packagesBelow(app.directory, app.manifest);
  const scripts = declaredStarts(app.manifest ?? { scripts: {} }, procfileOf(app.directory), packages, true);
  const [start] = scripts.flatMap((script) => startOf(app, script) ?? []);
  return start && { start, from: ONLY_SERVER };
}

/** Converts an interpreted script to a start; undefined if the file or directory that it names does not exist. */
function startOf(app: BuiltApplication, { start, directory }: DividedScript): Start | undefined {
  if (isOutside(directory)) return undefined;
  const from = { directory: join(app.directory, directory) };
  switch (start.kind) {
    case 'node':
      return nodeStart(app, directory, start);
    case 'program': {
      const find = (program: string) => findProgram(from.directory, app.repository, app.manifest, program);
      const file = find(start.program);
      // A program that starts the application in a process of its own needs the PATH and the platform's module for that process.
      if (file === undefined || runsProgram(start.args, find))
        return { kind: 'shell', directory, command: shellCommand(start) };
      return { ...start, kind: 'node', directory, options: [], file };
    }
    case 'shell':
      return {
        ...start,
        directory,
        command: withoutMissingFiles(start.command, (path) => existsSync(join(from.directory, path))),
      };
    case 'site': {
      const site = start.directory ?? ['dist', 'build', 'public', ''].find((path) => isFile(app, `${path}/index.html`));
      if (site === undefined || isOutside(site) || !existsSync(join(app.directory, directory, site))) return undefined;
      return { kind: 'site', directory: posix.join(directory, site).replace(/^\.$/, ''), single: start.single };
    }
    case 'framework':
      return directory === '' ? frameworkStart(app) : undefined;
    case 'development':
      return undefined;
  }
}

function nodeStart(
  app: BuiltApplication,
  directory: string,
  { options, file, args, environment }: Extract<StartScript, { kind: 'node' }>,
): Start | undefined {
  const from = { directory: join(app.directory, directory) };
  if (ECOSYSTEM.test(file) && isFile(from, file)) {
    const command = ecosystemCommand(join(from.directory, file));
    const inner = command && divideStartScript(within(directory, command), packagesBelow(app.directory, app.manifest));
    // One that starts a configuration of pm2 in turn could do so endlessly.
    return !inner || (inner.start.kind === 'node' && ECOSYSTEM.test(inner.start.file))
      ? undefined
      : startOf(app, inner);
  }
  const found = resolveFile(from, file);
  if (found === undefined) return undefined;
  return {
    kind: 'node',
    directory,
    options: existingOptions(options, (path) => isFile(from, path)),
    file: found,
    args,
    environment,
  };
}

/** Returns the command of a program for a shell. The platform chooses the port. */
const shellCommand = ({ program, args, environment }: Extract<StartScript, { kind: 'program' }>): string =>
  [
    ...Object.entries(environment).flatMap(([name, value]) => (name === 'PORT' ? [] : `${name}=${quoteWord(value)}`)),
    ...[program, ...args].map(quoteWord),
  ].join(' ');

/** Returns a directory's path relative to each of its parent directories: `c`, `b/c`, `a/b/c`. */
const pathsFromParents = (directory: string): string[] =>
  directory
    .split(sep)
    .map((_, index, names) => names.slice(-index - 1).join('/'))
    .slice(0, -1);

/** Returns the start of the framework's build output: its server, else its site; undefined if neither exists. */
function frameworkStart(app: BuiltApplication): Start | undefined {
  const { directory, framework } = app;
  const match = (pattern: string): string[] =>
    pattern.includes('{path}')
      ? pathsFromParents(directory).map((path) => pattern.replace('{path}', () => path))
      : globSync(pattern, { cwd: directory }).sort();
  const server = framework?.server?.flatMap(match).find((file) => isFile(app, file));
  if (server !== undefined) return nodeFile(server);
  const site = framework?.site?.flatMap(match).find((path) => isFile(app, `${path}/index.html`));
  return site === undefined ? undefined : { kind: 'site', directory: site, single: false };
}

/** The processes of a Procfile, and the start of its `web` process if the file that it names exists. */
interface Procfile {
  web: DividedScript | undefined;
  worker: string | undefined;
  start: Start | undefined;
}

function readProcfile(app: BuiltApplication): Procfile {
  const { web: command, worker } = parseProcfile(procfileOf(app.directory));
  const web =
    command === undefined ? undefined : divideStartScript(command, packagesBelow(app.directory, app.manifest));
  return { web, worker, start: web && startOf(app, web) };
}
