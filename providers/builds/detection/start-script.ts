import { posix } from 'node:path';
import { type Command, parseCommandLine, quoteWord, type Word } from './command-line.ts';
import {
  BUILD_COMMANDS,
  CLEANING_COMMAND,
  DEVELOPMENT_SERVERS,
  FILE_SERVER_OPTIONS_WITH_VALUE,
  FILE_SERVERS,
  FRAMEWORK_STARTS,
} from './programs.ts';
import { parseRun } from './run.ts';
import { RUNNERS } from './runners.ts';
import { onePackage, type Packages, type Scripts, scriptOf, scriptsInSequence } from './script-command.ts';
import { SCRIPT_RUNNER, unwrap } from './unwrap.ts';

/** The subject of a start script. */
export type StartScript =
  /** A JavaScript file: `node <options> <file> <args>`. */
  | { kind: 'node'; options: string[]; file: string; args: string[]; environment: Record<string, string> }
  /** A program of a package: `<program> <args>`. */
  | { kind: 'program'; program: string; args: string[]; environment: Record<string, string> }
  /** The output of the framework's build. */
  | { kind: 'framework'; command: string }
  /** A directory of files, and whether unknown paths get its front page. */
  | { kind: 'site'; directory: string | undefined; single: boolean }
  /** A development server: nothing that a release can start. */
  | { kind: 'development'; command: string }
  /** Anything else, for a shell. */
  | { kind: 'shell'; command: string };

/** A start script, divided. */
export interface DividedScript {
  /** Commands at its beginning that belong to the build, in the directories to which it changes; without those that run its own script `build`. */
  build: string[];
  /** The directory that it changes to, relative to the package. */
  directory: string;
  start: StartScript;
}

const MAX_DEPTH = 8;
/** Characters that are read of scripts, each time that one runs: those that run others unfold to any number of commands. */
const MAX_CHARACTERS = 10_000;
/** The path of a package's program, or its name behind its scope (`npx @11ty/eleventy`). */
const PACKAGE_PROGRAM = /(^|\/)node_modules\/\.bin\/|^@[^/]+\/[^/]+$/;
const CHANGES_DIRECTORY = /^cd /;
/** Runs the script `build`, as the build command does. */
const RUNS_BUILD = /^(npm|pnpm|yarn|bun) (run(-script)? )?build$/;
/** Those that also run the program of a package that is named in the place of a script. */
const RUNS_PROGRAMS = /^(pnpm|yarn)$/;
/** Their own commands, which come before a program of that name. `node` is Yarn's, and runs Node. */
const OWN_COMMANDS =
  /^(add|audit|bin|build|cache|ci|config|create|dedupe|deploy|dlx|env|exec|fetch|global|help|i|import|info|init|install|link|list|ls|npm|outdated|pack|plugin|prune|publish|rebuild|remove|restart|run|set|start|stop|store|test|unlink|up|update|upgrade|version|why|workspace|workspaces|x)$/;

/**
 * Returns the command that a watcher or process manager runs in place of a file: `npm run x` of `pm2 start npm -- run x`, `ts-node a.ts`
 * of `nodemon --exec ts-node a.ts`. Undefined if it runs a file.
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

/** Returns the scripts that a command runs in its place; undefined for one that stays as it is. */
function scriptsRunBy(command: Command, at: string, packages: Packages): RunScripts | undefined {
  const { words, dynamic } = unwrap(command);
  const other = managedCommand(command, at, packages) ?? (dynamic ? undefined : scriptsInSequence(words, at, packages));
  if (other !== undefined) return { texts: [other], directory: at, args: [] };
  if (dynamic || BUILD_COMMANDS.some((each) => each.test(command.text))) return undefined;
  const found = scriptOf(words, at, packages);
  if (!found) return undefined;
  const { name, scripts, directory, args } = found;
  return { texts: [scripts[`pre${name}`], scripts[name]].flatMap((text) => text ?? []), directory, args };
}

/** Replaces `npm run x` by the commands of the script, with `prex`, its variables and arguments. Undefined if a shell is needed. */
function expand(
  script: string,
  packages: Packages,
  directory = '',
  depth = 0,
  budget = { characters: MAX_CHARACTERS },
): Command[] | undefined {
  budget.characters -= script.length + 1;
  if (depth > MAX_DEPTH || budget.characters < 0) return undefined;
  const commands = parseCommandLine(script);
  if (!commands) return undefined;
  const expanded: Command[] = [];
  let at = directory;
  for (const command of commands) {
    const changed = changedDirectory(unwrap(command).words);
    if (changed !== undefined) at = posix.join(at, changed);
    const run = scriptsRunBy(command, at, packages);
    const path = run ? posix.relative(at, run.directory) : '';
    // What follows a script of another directory would run there too.
    if (!run || (path !== '' && command !== commands.at(-1))) {
      expanded.push(run ? command : withoutManager(command));
      continue;
    }
    const inner = run.texts.map((text) => expand(text, packages, run.directory, depth + 1, budget));
    if (inner.some((each) => each === undefined)) return undefined;
    if (path !== '') expanded.push(...(parseCommandLine(`cd ${quoteWord(path)}`) ?? []));
    expanded.push(
      ...inPlaceOf(
        command,
        inner.flatMap((each) => each ?? []),
        run.args,
      ),
    );
  }
  return expanded;
}

/** Returns the commands of scripts in place of the one that runs them: with its variables, and its arguments behind the last. */
function inPlaceOf(command: Command, commands: readonly Command[], args: readonly Word[]): Command[] {
  const { environment } = unwrap(command);
  const assignments = Object.entries(environment).map(([name, value]) => ({
    text: `${name}=${value}`,
    dynamic: false,
  }));
  return commands.map((each, at) => extended(each, assignments, at === commands.length - 1 ? args : []));
}

/** Returns a command with words before and after its own. */
const extended = ({ words, text }: Command, before: readonly Word[], after: readonly Word[]): Command => ({
  words: [...before, ...words, ...after],
  text: [...before.map(quoteAssignment), text, ...after.map(({ text }) => text)].join(' '),
});

/** Quotes the value of an assignment, whose name a shell must see. */
const quoteAssignment = ({ text }: Word): string => text.replace(/(?<=^\w+=).*/s, (value) => value && quoteWord(value));

const baseName = (program: string): string => program.replace(/^.*\//, '');

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
  if (DEVELOPMENT_SERVERS.some((each) => each.test(line))) return { kind: 'development', command: command.text };
  if (FRAMEWORK_STARTS.some((each) => each.test(line))) return { kind: 'framework', command: line };
  if (Object.hasOwn(FILE_SERVERS, program)) return interpretFileServer(texts, FILE_SERVERS[program]);
  if (words.some((word) => word.dynamic)) return shell;
  if (Object.hasOwn(RUNNERS, program)) {
    const run = parseRun(program, texts);
    if (!run || run.command !== undefined) return shell;
    const { options, file, args } = run;
    return { kind: 'node', options, file, args, environment: { ...environment, ...run.environment } };
  }
  if (SCRIPT_RUNNER.test(program) || /^(sh|bash|cd|echo|true)$/.test(program)) return shell;
  // A file of the repository, whose first line says what runs it.
  if (first.text.includes('/') && !PACKAGE_PROGRAM.test(first.text)) return shell;
  return { kind: 'program', program, args: texts, environment };
}

/** Divides a start script into what belongs to the build and what starts the application. */
export function divideStartScript(script: string, packages: Packages): DividedScript {
  const commands = expand(script, packages);
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
    } else if (BUILD_COMMANDS.some((each) => each.test(line))) {
      if (directory !== '' || !RUNS_BUILD.test(line)) build.push(next.text);
    } else break;
    remaining = remaining.slice(1);
  }
  while (CHANGES_DIRECTORY.test(build.at(-1) ?? '')) build.pop();
  // Nothing to clean up is no reason for a build.
  if (build.every((each) => CLEANING_COMMAND.test(each) || CHANGES_DIRECTORY.test(each))) build.length = 0;
  const [only, ...others] = remaining;
  if (only && others.length === 0) return { build, directory, start: interpret(only) };
  const command = withoutRunner(remaining.map(({ text }) => text).join(' && '));
  return { build, directory, start: { kind: 'shell', command } };
}

/**
 * Returns the commands before the last one of a script that then starts what the framework's build made; undefined for other scripts.
 */
export function beforeFrameworkStart({ start, directory }: DividedScript): string | undefined {
  if (start.kind !== 'shell' || directory !== '') return undefined;
  const commands = parseCommandLine(start.command) ?? [];
  const last = commands.at(-1);
  if (last === undefined || commands.length < 2 || interpret(last).kind !== 'framework') return undefined;
  return commands
    .slice(0, -1)
    .map(({ text }) => text)
    .join(' && ');
}

/** Returns the directory that a command changes to; undefined for other commands. */
const changedDirectory = ([cd, to, ...more]: readonly Word[]): string | undefined =>
  cd?.text === 'cd' && to && !to.dynamic && more.length === 0 ? to.text : undefined;

/** A runner of programs with its options, and what is before it in a shell's command. */
const RUNNER =
  /((?:^|[|;&(])\s*(?:[A-Za-z_]\w*=\S*\s+)*)(?:npx|bunx|(?:npm|pnpm|yarn) exec)(?:\s+(?:--|-y|--yes|--no|--no-install|-q|--quiet))*\s+(?=[\w@.])/g;

/**
 * Leaves `npx` out of a shell's commands: a release has none, and its shell finds the programs of packages. The time of the search grows
 * with the square of the length (`;a=;a=`), and a request waits for it: what is too long to be read stays as it is.
 */
const withoutRunner = (command: string): string =>
  command.length > MAX_CHARACTERS ? command : command.replace(RUNNER, '$1');

/**
 * Leaves Yarn or pnpm out of a command with which it runs Node or the program of a package: `yarn node app.js`, `pnpm run tsx app.ts`.
 * A command that it runs as a script is replaced before.
 */
function withoutManager(command: Command): Command {
  const { words, text } = command;
  const at = words.length - unwrap(command).words.length;
  const run = words[at + 1]?.text === 'run' ? 1 : 0;
  const program = words[at + 1 + run];
  if (!RUNS_PROGRAMS.test(words[at]?.text ?? '') || program === undefined || program.dynamic) return command;
  if (!/^@?\w[\w./-]*$/.test(program.text) || OWN_COMMANDS.test(program.text)) return command;
  return {
    words: [...words.slice(0, at), ...words.slice(at + 1 + run)],
    text: text.replace(/(?<=^|\s)(yarn|pnpm)\s+(run\s+)?/, ''),
  };
}

/** Returns the division of the package's start script, with `prestart`; undefined if there is none. */
export function startScriptOf(
  manifest: { scripts: Scripts } | undefined,
  packages: Packages = onePackage(manifest?.scripts ?? {}),
): DividedScript | undefined {
  const scripts = manifest?.scripts ?? {};
  if (scripts.start === undefined) return undefined;
  const command = 'npm run start';
  const divided = divideStartScript(command, packages);
  if (divided.start.kind !== 'shell' || divided.start.command !== command) return divided;
  // A shell runs the script itself: a release has no npm.
  const texts = [scripts.prestart, scripts.start].filter((text) => text !== undefined);
  return { ...divided, start: { kind: 'shell', command: withoutRunner(texts.join(' && ')) } };
}
