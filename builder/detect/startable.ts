import { existsSync, globSync } from 'node:fs';
import { delimiter, dirname, join, posix } from 'node:path';
import { parseCommandLine } from '../../providers/builds/detection/command-line.ts';
import { frameworkOf } from '../../providers/builds/detection/frameworks.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import {
  DESKTOP_PROGRAMS,
  FOREIGN_PROGRAMS,
  PACKAGE_MANAGERS,
  PROCESS_MANAGERS,
} from '../../providers/builds/detection/programs.ts';
import { BuildFailure } from '../failure.ts';
import { findProgram } from './bin.ts';
import type { BuiltApplication } from './built-application.ts';
import { describeStart } from './describe-start.ts';
import type { Start } from './existing-start.ts';
import { applicationsBelow } from './packages.ts';
import { ONLY_SERVER, tryFindStart } from './start.ts';

const RUNS_PACKAGE_MANAGER =
  /(?:^|\bnode_modules\/(?:\.bin\/)?)(turbo|lerna|nx|npm-run-all2?|run-[sp])(?:$|(?<=\bnode_modules\/[\w-]+)\/)/;
/** Matches words after a package manager's name which show that a wrapper runs it: `dotenv -- npm run x`. */
const RUNS_SCRIPT = /^(run|run-script|start|exec|x|dlx)$/;

/** Returns the commands of a start as words: those of a shell command, as far as they can be parsed, or that of a package's program. */
function commandsOf(start: Start): string[][] {
  if (start.kind === 'node') return /(^|\/)node_modules\//.test(start.file) ? [[start.file, ...start.args]] : [];
  if (start.kind === 'site' || start.kind === 'export') return [];
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

/** Words at the beginning of a command that a shell itself understands, or that precede another command. */
const SHELL_WORDS =
  /^(\.|:|\[|!|alias|break|case|cd|command|continue|do|done|echo|elif|else|esac|eval|exec|exit|export|false|fi|for|function|if|local|printf|pwd|read|readonly|return|set|shift|source|test|then|time|times|trap|true|type|typeset|ulimit|umask|unset|until|wait|while)$/;

/** Returns the programs with which the commands of a shell begin, without those whose names it evaluates, and without paths. */
function firstPrograms(command: string): string[] {
  return (parseCommandLine(command) ?? []).flatMap(({ words }) => {
    const first = words.find(({ text }) => !/^([A-Za-z_]\w*=.*|exec)$/.test(text));
    const isProgram = first && !first.dynamic && /^[\w@.+-]+$/.test(first.text) && !SHELL_WORDS.test(first.text);
    return isProgram ? [first.text] : [];
  });
}

/** Returns true if a package of the application or of its repository provides a program, as the shell of a release finds it. */
function isInstalled(program: string, directory: string, repository: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules/.bin', program))) return true;
    if (at === repository || at === dirname(at)) return false;
  }
}

/** Returns true if this machine has a program. It has all those of a release, and more. */
const isOnMachine = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, program)));

/** The end of a failure with a start that a release cannot run. */
const SET_NODE = 'Set startCommand to a command of Node, such as "node app.js".';

/** Throws BuildFailure for a start by a program of the owner's machine: `deno run -A main.ts`, `make run`, `electron .`. */
function assertNoForeignProgram(start: Start, directory: string, repository: string): void {
  const text = describeStart(start);
  const from = join(directory, start.directory);
  const programs = start.kind === 'shell' ? firstPrograms(start.command) : [];
  const [, packaged = ''] = start.kind === 'node' ? (/(?:^|\/)node_modules\/([\w-]+)\//.exec(start.file) ?? []) : [];
  if ([...programs, packaged].some((program) => DESKTOP_PROGRAMS.test(program))) {
    throw new BuildFailure(
      `The start "${text}" opens a window, and the platform hosts applications that answer requests. ${SET_NODE} To serve the files of a build, set it to a command such as "serve dist".`,
    );
  }
  const foreign = programs.find((program) => FOREIGN_PROGRAMS.test(program) && !isInstalled(program, from, repository));
  if (foreign !== undefined) {
    throw new BuildFailure(
      `The start "${text}" needs ${foreign}, which a release does not have: it runs Node and the programs of packages. ${SET_NODE}`,
    );
  }
}

/** Throws BuildFailure for a start by a program that neither a package nor a release provides, such as one that was installed globally. */
function assertProvided(start: Start, directory: string, repository: string, manifest: Manifest | undefined): void {
  if (start.kind !== 'shell') return;
  const from = join(directory, start.directory);
  const named = { ...manifest?.dependencies, ...manifest?.devDependencies };
  const missing = firstPrograms(start.command).find(
    (program) => !Object.hasOwn(named, program) && !isInstalled(program, from, repository) && !isOnMachine(program),
  );
  if (missing === undefined) return;
  throw new BuildFailure(
    `The start "${describeStart(start)}" needs ${missing}, which no package provides: add the package that does to "dependencies" of package.json, and commit the lockfile too. Or set startCommand to a command of Node, such as "node app.js".`,
  );
}

/**
 * Throws BuildFailure if a start needs a package or process manager, or another program, which a release does not have (docs/decisions/0039-any-node-project.md).
 * @param directory the application's directory
 * @param repository the topmost directory of the search
 */
export function assertStartable(
  start: Start,
  directory: string,
  repository: string,
  manifest: Manifest | undefined,
): void {
  assertRunnable(start, directory, repository, manifest);
  assertProvided(start, directory, repository, manifest);
}

/** As {@link assertStartable}, for what an installation does not change. */
function assertRunnable(start: Start, directory: string, repository: string, manifest: Manifest | undefined): void {
  assertNoForeignProgram(start, directory, repository);
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
    const { isExported, advice } = (manifest && frameworkOf(manifest)) ?? {};
    // A framework with advice listens by Bun: Node would run its file, and nothing would listen.
    const instead =
      isExported && advice !== undefined
        ? advice
        : `Set startCommand to a command of Node, such as "${withoutBun(commands)}"`;
    throw new BuildFailure(
      `The start "${text}" needs Bun, which a release does not have: a release runs Node. ${instead}.`,
    );
  }
  throw new BuildFailure(
    `The start "${text}" needs a package manager (${needed}), which a release does not have: ${remedy(directory, needed)}.`,
  );
}

/** Maximum packages that a failure lists. */
const MAX_LISTED = 5;

/** Returns what to set in place of a start by a package manager: first the packages that it may start. */
function remedy(directory: string, manager: string): string {
  const applications = applicationsBelow(directory, manager === 'lerna').slice(0, MAX_LISTED);
  if (applications.length === 0)
    return 'set startCommand to the command that it runs, such as "node app.js", or rootDirectory to the package to start';
  return `set rootDirectory to the package to start, ${applications.join(' or ')}, or startCommand to the command that it runs, such as "node app.js"`;
}

/** Returns a command of Node for the file that Bun runs; an example if it runs none. Node runs TypeScript with tsx. */
function withoutBun(commands: readonly string[][]): string {
  const file = commands.flat().find((word) => /^[\w./-]+\.[cm]?[jt]sx?$/.test(word));
  if (file === undefined) return 'node app.js';
  return /\.[cm]?js$/.test(file) ? `node ${file}` : `tsx ${file}" with tsx in "dependencies`;
}

/**
 * As {@link assertStartable}, before the installation, for a start that neither the installation nor the build can change: the owner's
 * start command, or a script that does not stand aside for a file.
 */
export function assertStartableEarly(app: BuiltApplication): void {
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
  const isDependency = (name: string) => PACKAGE_MANAGERS.test(name) || FOREIGN_PROGRAMS.test(name);
  if (names.some(isDependency) || (startCommand === null && mayBeBuilt)) return;
  assertRunnable(found, directory, repository, manifest);
}

/** Returns the shell command by which the settings or scripts start an application; undefined if they name a file, or nothing. */
function declaredCommand(app: BuiltApplication): Start | undefined {
  // What is missing now may be built.
  const { start, from } = tryFindStart(app) ?? {};
  // The only server of several programs stands aside for the site that the build creates.
  return start?.kind === 'shell' && from !== ONLY_SERVER ? start : undefined;
}
