import { parseCommandLine } from '../../providers/builds/detection/command-line.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { PACKAGE_MANAGERS, PROCESS_MANAGERS } from '../../providers/builds/detection/programs.ts';
import { BuildFailure } from '../failure.ts';
import { findProgram } from './bin.ts';
import { describeStart } from './describe-start.ts';
import type { Start } from './start.ts';

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
  throw new BuildFailure(
    `The start "${text}" needs a package manager (${needed}), which a release does not have: set startCommand to the command that it runs, such as "node app.js", or rootDirectory to the package to start.`,
  );
}
