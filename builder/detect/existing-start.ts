import { existsSync, globSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { quoteWord, within } from '../../providers/builds/detection/command-line.ts';
import {
  type DividedScript,
  divideStartScript,
  type StartScript,
} from '../../providers/builds/detection/start-script.ts';
import { findProgram, runsProgram } from './bin.ts';
import type { BuiltApplication } from './built-application.ts';
import { nestServer } from './built-servers.ts';
import { ECOSYSTEM, ecosystemCommand } from './ecosystem.ts';
import { type ExportStart, exportedToBun } from './exported.ts';
import { isFile, isOutside, resolveFile } from './files.ts';
import { existingOptions, withoutMissingFiles } from './node-options.ts';
import { packagesBelow } from './packages.ts';

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
  | { kind: 'site'; directory: string; single: boolean }
  | ExportStart;

/** Returns a start of one file without options. */
export const nodeFile = (file: string): Start => ({
  kind: 'node',
  directory: '',
  options: [],
  file,
  args: [],
  environment: {},
});

/** Converts an interpreted script to a start; undefined if the file or directory that it names does not exist. */
export function existingStart(app: BuiltApplication, { start, directory }: DividedScript): Start | undefined {
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
      return (
        (directory === '' ? exportedToBun(app, start.command) : undefined) ?? {
          ...start,
          directory,
          command: withoutMissingFiles(start.command, (path) => existsSync(join(from.directory, path))),
        }
      );
    case 'site': {
      const site = start.directory ?? ['dist', 'build', 'public', ''].find((path) => isFile(app, `${path}/index.html`));
      if (site === undefined || isOutside(site) || !existsSync(join(app.directory, directory, site))) return undefined;
      return { kind: 'site', directory: posix.join(directory, site).replace(/^\.$/, ''), single: start.single };
    }
    case 'framework':
      return directory === '' ? startOfFramework(app, start.command) : undefined;
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
      : existingStart(app, inner);
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

/** Returns the start of a framework's command: the project that it names in a monorepo of Nest, else the framework's build output. */
function startOfFramework(app: BuiltApplication, command: string): Start | undefined {
  const named = nestServer(app, command);
  if (named === undefined) return frameworkStart(app);
  return isFile(app, named) ? nodeFile(named) : undefined;
}

/** Files that the build of a framework created: its servers, or else its sites. Several are the applications of a monorepo. */
interface Output {
  servers: string[];
  sites: string[];
}

/** Returns the output of a framework's build, according to the first pattern that matches any. */
export function frameworkOutput(app: BuiltApplication): Output {
  const { directory, framework } = app;
  const match = (pattern: string): string[] =>
    pattern.includes('{path}')
      ? pathsFromParents(directory).map((path) => pattern.replace('{path}', () => path))
      : globSync(pattern, { cwd: directory }).sort();
  const first = (patterns: readonly string[] = [], exists: (path: string) => boolean): string[] => {
    const found = patterns.map((pattern) => ({ pattern, paths: match(pattern).filter(exists) }));
    const { pattern, paths = [] } = found.find(({ paths }) => paths.length > 0) ?? {};
    // The forms of a path all lead to the application, the nearest first.
    return pattern?.includes('{path}') ? paths.slice(0, 1) : paths;
  };
  const servers = first(framework?.server, (file) => isFile(app, file));
  const sites = servers.length > 0 ? [] : first(framework?.site, (path) => isFile(app, `${path}/index.html`));
  return { servers, sites };
}

/**
 * Returns the start of the framework's build output: its server, else its site. Returns undefined if neither exists, and for several, among
 * which only the owner can choose.
 */
export function frameworkStart(app: BuiltApplication): Start | undefined {
  const { servers, sites } = frameworkOutput(app);
  const { handler } = app.framework ?? {};
  if (handler && servers.length === 0 && isFile(app, handler.module) && existsSync(join(app.directory, handler.files)))
    return { kind: 'export', directory: '', ...handler };
  const [path, ...others] = [...servers, ...sites];
  if (path === undefined || others.length > 0) return undefined;
  return servers.length > 0 ? nodeFile(path) : { kind: 'site', directory: path, single: false };
}
