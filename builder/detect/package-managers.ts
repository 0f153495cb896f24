import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { parseCommandLine } from '../../providers/builds/detection/command-line.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { PACKAGE_MANAGERS, PROCESS_MANAGERS } from '../../providers/builds/detection/programs.ts';
import { BuildFailure } from '../failure.ts';
import { findProgram } from './bin.ts';
import type { BuiltApplication } from './built-application.ts';
import { describeStart } from './describe-start.ts';
import type { Start } from './existing-start.ts';
import { findStart, ONLY_SERVER } from './start.ts';

const RUNS_PACKAGE_MANAGER =
  /(?:^|\bnode_modules\/(?:\.bin\/)?)(turbo|lerna|npm-run-all2?|run-[sp])(?:$|(?<=\bnode_modules\/[\w-]+)\/)/;
/** Matches words after a package manager's name which show that a wrapper runs it: `dotenv -- npm run x`. */
const RUNS_SCRIPT = /^(run|run-script|start|exec|x|dlx)$/;

/** Returns the commands of a start as words: those of a shell command, as far as they can be parsed, or that of a package's program. */
function commandsOf(start: Start): string[][] {
  if (start.kind === 'node') return /(^|\/)node_modules\//.test(start.file) ? [[start.file, ...start.args]] : [];
  if (start.kind === 'site') return [];
  const commands =
    parseCommandLine(start.command)?.map(({ words }) => words.map(({ text }) => text)) ??
    start.command.split(/[|;&()\n]+/).map((command) => command.trim().split(/\s+/));
  return commands.map((words) => words.slice(words.findIndex((word) => !/^([A-Za-z_]\w*=.*|exec)$/.test(word))));
}

/** Returns the package manager that a command runs, directly or through another program; undefined if there is none. */
function packageManagerOf([program = '', ...args]: readonly string[], scripts: object): string | undefined {
  if (PACKAGE_MANAGERS.test(program)) return program;
  if (/^(echo|printf)$/.test(program)) return undefined;
  const runs = (word: string, [next = '', ...more]: readonly string[]): boolean =>
    /^(npx|pnpx|bunx)$/.test(word)
      ? next !== ''
      : Object.hasOwn(scripts, next) || [next, ...more].some((argument) => RUNS_SCRIPT.test(argument));
  return (
    RUNS_PACKAGE_MANAGER.exec(program)?.[1] ??
    args.find((word, index) => PACKAGE_MANAGERS.test(word) && runs(word, args.slice(index + 1)))
  );
}

/**
 * Throws BuildFailure if a start needs a package or process manager, which a release does not have (docs/decisions/0039-any-node-project.md).
 * @param directory the application's directory
 * @param repository the topmost directory of the search
 */
export function assertNoPackageManager(
  start: Start,
  directory: string,
  repository: string,
  manifest: Manifest | undefined,
): void {
  const commands = commandsOf(start);
  const text = describeStart(start);
  const process =
    start.kind === 'shell' ? commands.find(([program = '']) => PROCESS_MANAGERS.test(program)) : undefined;
  if (process !== undefined) {
    throw new BuildFailure(
      `The start "${text}" needs a process manager (${process[0]}), which a release does not have: the platform starts processes and replaces those that end. Set startCommand to the command that it runs, such as "node app.js".`,
    );
  }
  const isProvided = (program: string): boolean =>
    start.kind === 'shell' &&
    PACKAGE_MANAGERS.test(program) &&
    findProgram(directory, repository, manifest, program) !== undefined;
  const needed = commands
    .flatMap((words) => packageManagerOf(words, manifest?.scripts ?? {}) ?? [])
    .find((program) => !isProvided(program));
  if (needed === undefined) return;
  if (/^bunx?$/.test(needed)) {
    throw new BuildFailure(
      `The start "${text}" needs Bun, which a release does not have: a release runs Node. Set startCommand to a command of Node, such as "${withoutBun(commands)}".`,
    );
  }
  throw new BuildFailure(
    `The start "${text}" needs a package manager (${needed}), which a release does not have: set startCommand to the command that it runs, such as "node app.js", or rootDirectory to the package to start.`,
  );
}

/** Returns a command of Node for the file that Bun runs; an example if it runs none. Node runs TypeScript with tsx. */
function withoutBun(commands: readonly string[][]): string {
  const file = commands.flat().find((word) => /^[\w./-]+\.[cm]?[jt]sx?$/.test(word));
  if (file === undefined) return 'node app.js';
  return /\.[cm]?js$/.test(file) ? `node ${file}` : `tsx ${file}" with tsx in "dependencies`;
}

/**
 * As {@link assertNoPackageManager}, before the installation, for a start that neither the installation nor the build can change: the owner's
 * start command, or a script that does not stand aside for a file.
 */
export function assertNoPackageManagerEarly(app: BuiltApplication): void {
  const { directory, repository, settings, manifest, framework, buildCommand } = app;
  const found = declaredCommand(app);
  if (found === undefined) return;
  const { startCommand, startFile } = settings;
  const { name: stem } = posix.parse(startFile);
  const mayBeBuilt =
    framework?.server?.includes(startFile) === true ||
    globSync(`${stem}.*`, { cwd: directory }).length > 0 ||
    [buildCommand ?? '', ...Object.values(manifest?.scripts ?? {})].some((text) => text.includes(stem));
  const names = Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies });
  if (names.some((name) => PACKAGE_MANAGERS.test(name)) || (startCommand === null && mayBeBuilt)) return;
  assertNoPackageManager(found, directory, repository, manifest);
}

/** Returns the shell command by which the settings or scripts start an application; undefined if they name a file, or nothing. */
function declaredCommand(app: BuiltApplication): Start | undefined {
  try {
    const { start, from } = findStart(app);
    // The only server of several programs stands aside for the site that the build creates.
    return start.kind === 'shell' && from !== ONLY_SERVER ? start : undefined;
  } catch (error) {
    // What is missing now may be built.
    if (!(error instanceof BuildFailure)) throw error;
    return undefined;
  }
}
