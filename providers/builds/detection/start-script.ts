import { posix } from 'node:path';
import { baseName, type Command, parseCommandLine, quoteWord, type Word } from './command-line.ts';
import { commandsAtOnce, inProduction, runsAtOnce } from './parallel.ts';
import {
  BUILD_COMMANDS,
  BUILD_WATCHERS,
  CLEANING_COMMAND,
  DEVELOPMENT_SERVERS,
  FILE_SERVER_OPTIONS_WITH_VALUE,
  FILE_SERVERS,
  FRAMEWORK_STARTS,
} from './programs.ts';
import { parseRun } from './run.ts';
import { RUNNERS } from './runners.ts';
import { type Packages, scriptOf, scriptsInSequence } from './script-command.ts';
import { SCRIPT_RUNNER, unwrap } from './unwrap.ts';
import { withoutManager, withoutRunner } from './without-manager.ts';

/** The program that a start script starts. */
export type StartScript =
  /** A JavaScript file: `node <options> <file> <args>`. */
  | { kind: 'node'; options: string[]; file: string; args: string[]; environment: Record<string, string> }
  /** A program of a package: `<program> <args>`. */
  | { kind: 'program'; program: string; args: string[]; environment: Record<string, string> }
  /** The output of the framework's build. */
  | { kind: 'framework'; command: string; environment: Record<string, string> }
  /** A directory of static files. `single`: unknown paths get the front page. */
  | { kind: 'site'; directory: string | undefined; single: boolean }
  /** A development server, which a release cannot start. */
  | { kind: 'development'; command: string }
  /** Anything else, for a shell. */
  | { kind: 'shell'; command: string };

/** A start script, divided into its build commands and its start. */
export interface DividedScript {
  /** Leading commands that belong to the build, including changes of directory, without those that run the script `build`. */
  build: string[];
  /** The directory in which the application starts, relative to the package. */
  directory: string;
  start: StartScript;
}

const MAX_DEPTH = 8;
/** Maximum characters of all expanded scripts together. A script counts each time that it runs, because scripts can run one another. */
const MAX_CHARACTERS = 10_000;
/** Matches the path of a package's program, or its scoped name (`npx @11ty/eleventy`). */
const PACKAGE_PROGRAM = /(^|\/)node_modules\/\.bin\/|^@[^/]+\/[^/]+$/;
const CHANGES_DIRECTORY = /^cd /;
/** The state of an expansion. */
interface Expansion {
  /** The characters that are left of {@link MAX_CHARACTERS}. */
  characters: number;
  /** True if programs that run commands at the same time are replaced by the only server of them. */
  picksServer: boolean;
}
/** Matches a command that runs the script `build`, as the build command does. */
const RUNS_BUILD = /^(npm|pnpm|yarn|bun) (run(-script)? )?build$/;
/**
 * Returns the command that a watcher or process manager runs instead of a file: `npm run x` for `pm2 start npm -- run x`, `ts-node a.ts`
 * for `nodemon --exec ts-node a.ts`. Returns undefined if it runs a file.
 */
function managedCommand(command: Command, at: string, packages: Packages): string | undefined {
  const { words, dynamic } = unwrap(command);
  if (dynamic || words.some((word) => word.dynamic)) return undefined;
  const [program = '', ...rest] = words.map(({ text }) => text);
  const run = parseRun(baseName(program), rest, packages.nodemonConfigOf(at));
  if (!run || (run.command === undefined && !SCRIPT_RUNNER.test(run.file))) return undefined;
  const given = [...run.options, run.file, ...run.args].filter((word) => word !== '').map(quoteWord);
  return [...(run.command === undefined ? [] : [run.command]), ...given].join(' ');
}

/** Scripts that a command runs one after another in a directory, with further arguments for the last one. */
interface RunScripts {
  texts: readonly string[];
  directory: string;
  args: readonly Word[];
}

/** Returns the scripts by which a command can be replaced; undefined if it cannot be replaced. */
function scriptsRunBy(command: Command, at: string, packages: Packages): RunScripts | undefined {
  const { words, dynamic } = unwrap(command);
  const replacement =
    managedCommand(command, at, packages) ?? (dynamic ? undefined : scriptsInSequence(words, at, packages));
  if (replacement !== undefined) return { texts: [replacement], directory: at, args: [] };
  if (dynamic || BUILD_COMMANDS.some((pattern) => pattern.test(command.text))) return undefined;
  const found = scriptOf(words, at, packages);
  if (!found) return undefined;
  const { name, scripts, directory, args } = found;
  const texts = [scripts[`pre${name}`], scripts[name]].flatMap((text) => text ?? []);
  // per-env runs the script of the environment, which is production in a release.
  return { texts: texts.map((text) => (text === 'per-env' ? `npm run ${name}:production` : text)), directory, args };
}

/** Returns true for a command that may answer requests, unlike development servers and programs that build again when files change. */
function isServer(command: Command): boolean {
  const line = unwrap(command)
    .words.map(({ text }) => text)
    .join(' ');
  return interpret(command).kind !== 'development' && ![...BUILD_COMMANDS, BUILD_WATCHERS].some((it) => it.test(line));
}

/**
 * Returns the scripts by which a command is replaced: those that it runs, or the only server of the commands that it runs at the same time.
 * Returns undefined if it is not replaced.
 */
function replacementOf(
  command: Command,
  at: string,
  packages: Packages,
  depth: number,
  expansion: Expansion,
): RunScripts | undefined {
  const run = scriptsRunBy(command, at, packages);
  const { words, dynamic } = unwrap(command);
  if (run || dynamic || !expansion.picksServer) return run;
  const servers = commandsAtOnce(words, at, packages)?.filter((line) => {
    const last = expand(line, packages, at, depth + 1, expansion)?.at(-1);
    return last === undefined || isServer(last);
  });
  return servers?.length === 1 ? { texts: servers, directory: at, args: [] } : undefined;
}

/**
 * Replaces `npm run x` by the commands of the scripts `prex` and `x`, with the variables and arguments of the call. Returns undefined if
 * a shell is needed.
 */
function expand(
  script: string,
  packages: Packages,
  directory: string,
  depth: number,
  expansion: Expansion,
): Command[] | undefined {
  expansion.characters -= script.length + 1;
  if (depth > MAX_DEPTH || expansion.characters < 0) return undefined;
  const commands = parseCommandLine(inProduction(script));
  if (!commands) return undefined;
  const expanded: Command[] = [];
  let at = directory;
  for (const command of commands) {
    const changed = changedDirectory(unwrap(command).words);
    if (changed !== undefined) at = posix.join(at, changed);
    const run = replacementOf(command, at, packages, depth, expansion);
    const path = run ? posix.relative(at, run.directory) : '';
    // A script of another directory is expanded only as the last command: later commands would run in that directory too.
    if (!run || (path !== '' && command !== commands.at(-1))) {
      expanded.push(run ? command : withoutManager(command));
      continue;
    }
    const inner = run.texts.map((text) => expand(text, packages, run.directory, depth + 1, expansion));
    if (inner.some((commands) => commands === undefined)) return undefined;
    if (path !== '') expanded.push(...(parseCommandLine(`cd ${quoteWord(path)}`) ?? []));
    expanded.push(
      ...withContextOf(
        command,
        inner.flatMap((commands) => commands ?? []),
        run.args,
      ),
    );
  }
  return expanded;
}

/** Returns the commands of scripts with the variables of the command that runs them, and its arguments after the last command. */
function withContextOf(command: Command, commands: readonly Command[], args: readonly Word[]): Command[] {
  const { environment } = unwrap(command);
  const assignments = Object.entries(environment).map(([name, value]) => ({
    text: `${name}=${value}`,
    dynamic: false,
  }));
  return commands.map((inner, index) => addWords(inner, assignments, index === commands.length - 1 ? args : []));
}

/** Adds words before and after those of a command. */
const addWords = ({ words, text }: Command, before: readonly Word[], after: readonly Word[]): Command => ({
  words: [...before, ...words, ...after],
  text: [...before.map(quoteAssignment), text, ...after.map(({ text }) => text)].join(' '),
});

/** Quotes the value of an assignment but not its name, which a shell must recognize. */
const quoteAssignment = ({ text }: Word): string => text.replace(/(?<=^\w+=).*/s, (value) => value && quoteWord(value));

function interpretFileServer(words: readonly string[], single: RegExp | undefined): StartScript {
  const rest = [...words];
  let directory: string | undefined;
  let isSingle = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (FILE_SERVER_OPTIONS_WITH_VALUE.includes(word)) rest.shift();
    else if (single?.test(word)) isSingle = true;
    else if (!word.startsWith('-')) directory ??= word;
  }
  return { kind: 'site', directory, single: isSingle };
}

/** Interprets the last command of a start script. */
function interpret(command: Command): StartScript {
  const { words, environment, dynamic } = unwrap(command);
  const [first, ...rest] = words;
  const shell: StartScript = { kind: 'shell', command: withoutRunner(command.text) };
  if (!first || dynamic) return shell;
  const program = baseName(first.text);
  const texts = rest.map(({ text }) => text);
  const line = [program, ...texts].join(' ');
  if (runsAtOnce(line) || DEVELOPMENT_SERVERS.some((pattern) => pattern.test(line)))
    return { kind: 'development', command: command.text };
  if (FRAMEWORK_STARTS.some((pattern) => pattern.test(line))) return { kind: 'framework', command: line, environment };
  if (Object.hasOwn(FILE_SERVERS, program)) return interpretFileServer(texts, FILE_SERVERS[program]);
  if (words.some((word) => word.dynamic)) return shell;
  if (Object.hasOwn(RUNNERS, program)) {
    const run = parseRun(program, texts);
    if (!run || run.command !== undefined) return shell;
    const { options, file, args } = run;
    return { kind: 'node', options, file, args, environment: { ...environment, ...run.environment } };
  }
  if (SCRIPT_RUNNER.test(program) || /^(sh|bash|cd|echo|true)$/.test(program)) return shell;
  // A file of the repository, whose first line names its interpreter.
  if (first.text.includes('/') && !PACKAGE_PROGRAM.test(first.text)) return shell;
  return { kind: 'program', program, args: texts, environment };
}

/**
 * Divides a start script into the commands that belong to the build and the command that starts the application.
 * @param picksServer true to start the only server of commands that run at the same time; otherwise they are a development server
 */
export function divideStartScript(script: string, packages: Packages, picksServer = false): DividedScript {
  const commands = expand(script, packages, '', 0, { characters: MAX_CHARACTERS, picksServer });
  if (!commands || commands.length === 0)
    return { build: [], directory: '', start: { kind: 'shell', command: withoutRunner(script) } };
  const build: string[] = [];
  let directory = '';
  let remaining = [...commands];
  for (let next = remaining[0]; next && remaining.length > 1; next = remaining[0]) {
    const { words } = unwrap(next);
    const line = words.map(({ text }) => text).join(' ');
    const changed = changedDirectory(words);
    if (changed !== undefined) {
      directory = posix.join(directory, changed).replace(/^\.\/?$|\/$/, '');
      build.push(`cd ${quoteWord(changed)}`);
    } else if (BUILD_COMMANDS.some((pattern) => pattern.test(line))) {
      if (directory !== '' || !RUNS_BUILD.test(line)) build.push(next.text);
    } else break;
    remaining = remaining.slice(1);
  }
  while (CHANGES_DIRECTORY.test(build.at(-1) ?? '')) build.pop();
  // Commands that only clean up need no build.
  if (build.every((text) => CLEANING_COMMAND.test(text) || CHANGES_DIRECTORY.test(text))) build.length = 0;
  const [only, ...others] = remaining;
  if (only && others.length === 0) return { build, directory, start: interpret(only) };
  const command = withoutRunner(remaining.map(({ text }) => text).join(' && '));
  return { build, directory, start: { kind: 'shell', command } };
}

/** Returns the commands before the last command of a script, and the start of that command; undefined for a single command. */
export function lastStart({ start, directory }: DividedScript): { before: string; start: StartScript } | undefined {
  if (start.kind !== 'shell' || directory !== '') return undefined;
  const commands = parseCommandLine(start.command) ?? [];
  const last = commands.at(-1);
  if (last === undefined || commands.length < 2) return undefined;
  const before = commands.slice(0, -1).map(({ text }) => text);
  return { before: before.join(' && '), start: interpret(last) };
}

/** Returns the directory that a command changes to; undefined for other commands. */
const changedDirectory = ([cd, target, ...more]: readonly Word[]): string | undefined =>
  cd?.text === 'cd' && target && !target.dynamic && more.length === 0 ? target.text : undefined;
