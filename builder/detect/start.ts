import { join, posix } from 'node:path';
import { PRODUCTION, productionScriptOf, startScriptOf } from '../../providers/builds/detection/package-scripts.ts';
import { declaredStarts, inPrecedence, parseProcfile } from '../../providers/builds/detection/procfile.ts';
import { type DividedScript, divideStartScript } from '../../providers/builds/detection/start-script.ts';
import { wrapsFile } from '../../providers/builds/detection/wraps-file.ts';
import { BuildFailure } from '../failure.ts';
import { findProgram } from './bin.ts';
import type { BuiltApplication } from './built-application.ts';
import { builtServer, isMonorepoRoot, nestServer } from './built-servers.ts';
import { existingStart, frameworkStart, nodeFile, type Start } from './existing-start.ts';
import { exportedApplication } from './exported.ts';
import { isFile, resolveFile } from './files.ts';
import { assertOwnFramework, isDefaultStartFile, notFound, siteNotFound, workersTool } from './not-found.ts';
import { isOwnNextServer } from './own-server.ts';
import { packagesBelow } from './packages.ts';
import { procfileOf } from './procfile.ts';
import { type Declared, warnOfCommands, warnOfParallel, warnOfReplaced, warnOfVariables } from './replaced-start.ts';

/** A start and its origin, for the owner. */
export interface FoundStart {
  start: Start;
  /** The origin, such as `start script`; undefined for the setting startFile. */
  from: string | undefined;
  /** Note for the owner about commands that are not run, or variables that are not set. */
  warning?: string;
}

/** The origin of a server that a script runs beside programs for development. */
export const ONLY_SERVER = 'only server of the start script';
/** Returns the usual names of files that start an application, in directories. */
const usualFiles = (...directories: string[]): string[] =>
  directories.flatMap((directory) =>
    ['server', 'index', 'main', 'app'].flatMap((name) =>
      ['.js', '.mjs', '.cjs'].map((extension) => posix.join(directory, name + extension)),
    ),
  );
/** Files that start an application without a known framework and without a start script. */
const USUAL_FILES = usualFiles('dist', 'build', '');
const USUAL_SOURCES = usualFiles('src');
/** The origin of a server that the tool of a monorepo built for one of its applications. */
const ONLY_BUILT = 'only server of the build';
/** Usual output directories of static sites without a known framework. */
const BUILT_SITES = ['dist', 'build', 'out', '_site'];
const USUAL_SITES = [...BUILT_SITES, 'public'];

/** Returns the directory of a file, empty for the application's own. */
const directoryOf = (file: string): string => posix.dirname(posix.normalize(file)).replace(/^\.$/, '');

/**
 * Finds the start of the application: from the owner's settings, else from its Procfile, start script, `main` or framework. Throws
 * BuildFailure with advice for the owner.
 */
export function findStart(app: BuiltApplication): FoundStart {
  const { settings, manifest } = app;
  const { startCommand, startFile } = settings;
  if (startCommand !== null) {
    const command = divideStartScript(startCommand, packagesBelow(app.directory, manifest));
    const found = existingStart(app, command);
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
  const fromScript = divided && existingStart(app, divided);
  const procfile = readProcfile(app);
  const [declared] = inPrecedence<FoundStart>(
    procfile.web && procfile.start && declaredStart(settings, 'Procfile', procfile.web, procfile.start),
    divided && fromScript ? declaredStart(settings, 'start script', divided, fromScript) : productionStart(app),
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

/** As {@link findStart}; undefined if no start is found. */
export function tryFindStart(app: BuiltApplication): FoundStart | undefined {
  try {
    return findStart(app);
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    return undefined;
  }
}

/**
 * Returns the start of the script for production (`start:prod`), which applies if the start script is missing, a development server, or
 * starts nothing that exists; undefined if it does not lead to an existing file either.
 */
function productionStart(app: BuiltApplication, names?: RegExp): FoundStart | undefined {
  const { settings, manifest, directory } = app;
  const found = productionScriptOf(manifest, packagesBelow(directory, manifest), names);
  const start = found && existingStart(app, found.script);
  // A program that no package provides, such as docker, would not start.
  if (!start || (start.kind === 'shell' && found.script.start.kind === 'program')) return undefined;
  return declaredStart(settings, `script ${found.name}`, found.script, start);
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

const ONLY_WORKER =
  'The Procfile has a worker and no web process: background workers are not hosted, only applications that answer requests.';

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
  // The root of such a monorepo names the frameworks of all its applications.
  const isNamed = divided?.start.kind === 'framework' && nestServer(app, divided.start.command) !== undefined;
  const built = isMonorepoRoot(app) && !isNamed ? builtServer(app) : undefined;
  if (built !== undefined) return { start: nodeFile(built), from: ONLY_BUILT };
  const only = onlyServer(app);
  if (only?.start.kind === 'node') return only;
  // A missing server is not replaced by files that happen to exist.
  const expectsServer = divided !== undefined && divided.start.kind !== 'development' && divided.start.kind !== 'site';
  if (!expectsServer && !hasBuildOutput) {
    const usual = usualStart(app);
    if (usual) return usual;
  }
  if (only) return only;
  if (worker !== undefined) throw new BuildFailure(ONLY_WORKER);
  const last = lastStart(app, expectsServer);
  if (last) return last;
  throw notFound(app, divided);
}

/**
 * Returns the start of an application that nothing else starts: a file that a script such as `prod` runs, or one that only exports it.
 * Returns undefined if there is neither, or if the server that a start script names is missing.
 */
function lastStart(app: BuiltApplication, expectsServer: boolean): FoundStart | undefined {
  if (expectsServer) return undefined;
  const found = productionStart(app, PRODUCTION);
  // A program of a package, such as a preview of the build, is no server for releases.
  const isOwnFile = found?.start.kind === 'node' && !/(^|\/)node_modules\//.test(found.start.file);
  return isOwnFile ? found : exportedStart(app);
}

/** Returns the start of a file that only exports an application; undefined if there is none, or if Node does not run it. */
function exportedStart(app: BuiltApplication): FoundStart | undefined {
  const start = workersTool(app) === undefined ? exportedApplication(app) : undefined;
  if (start === undefined) return undefined;
  const warning = `${start.module} exports its application and starts no server: the platform listens, and passes requests to it`;
  return { start, from: 'exported application', warning };
}

/** Returns the start of files with usual names; undefined if there are none. */
function usualStart(app: BuiltApplication): FoundStart | undefined {
  const isSite = (directory: string) => isFile(app, join(directory, 'index.html'));
  // The sources of a site that was built have the names of those of a server.
  const isBuiltSite = app.buildCommand !== null && BUILT_SITES.some(isSite);
  const usual = [...USUAL_FILES, ...(isBuiltSite ? [] : USUAL_SOURCES)].find((file) => isFile(app, file));
  if (usual !== undefined) return { start: nodeFile(usual), from: 'usual file name' };
  const built = builtServer(app);
  if (built !== undefined) return { start: nodeFile(built), from: ONLY_BUILT };
  const repository = app.manifest?.scripts.build === undefined ? [''] : [];
  const site = [...USUAL_SITES, ...repository].find(isSite);
  if (site === undefined) return undefined;
  return { start: { kind: 'site', directory: site, single: false }, from: 'index.html' };
}

/**
 * Returns the only server of the commands that a Procfile or a start script runs at the same time; undefined if there is none. Such scripts
 * are meant for development: beside the development server of a site, the only "server" may be one of sample data (`json-server`).
 */
function onlyServer(app: BuiltApplication): FoundStart | undefined {
  const packages = packagesBelow(app.directory, app.manifest);
  const scripts = declaredStarts(app.manifest ?? { scripts: {} }, procfileOf(app.directory), packages, true);
  const [start] = scripts.flatMap((script) => existingStart(app, script) ?? []);
  return start && { start, from: ONLY_SERVER };
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
  return { web, worker, start: web && existingStart(app, web) };
}
