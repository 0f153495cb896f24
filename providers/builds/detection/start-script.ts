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
import { RUNNERS, WRAPPERS } from './runners.ts';

/** The subject of a start script. */
export type StartScript =
  /** A JavaScript file: `node <options> <file> <args>`. */
  | { kind: 'node'; options: string[]; file: string; args: string[]; environment: Record<string, string> }
  /** A program of a package: `<program> <args>`. */
  | { kind: 'program'; program: string; args: string[]; environment: Record<string, string> }
  /** The output of the framework's build. */
  | { kind: 'framework' }
  /** A directory of files, and whether unknown paths get its front page. */
  | { kind: 'site'; directory: string | undefined; single: boolean }
  /** A development server: nothing that a release can start. */
  | { kind: 'development'; command: string }
  /** Anything else, for a shell. */
  | { kind: 'shell'; command: string };

/** A start script, divided. */
export interface DividedScript {
  /** Commands at its beginning that belong to the build; without those that run the script `build`. */
  build: string[];
  /** The directory that it changes to, relative to the package. */
  directory: string;
  start: StartScript;
}

/** The scripts of a package. */
export type Scripts = Readonly<Record<string, string>>;

const MAX_DEPTH = 8;
/** Characters that are read of scripts, each time that one runs: those that run others unfold to any number of commands. */
const MAX_CHARACTERS = 10_000;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const SCRIPT_RUNNER = /^(npm|pnpm|yarn|bun)$/;

/** Returns the script that a command such as `npm run x` runs, with its further arguments; undefined for others. */
function scriptOf(words: readonly Word[], scripts: Scripts): { name: string; args: Word[] } | undefined {
  const [program, ...rest] = words;
  if (!program || !SCRIPT_RUNNER.test(program.text)) return undefined;
  const own = rest.filter(({ text }) => !/^(-s|--silent|--if-present|--color|-q)$/.test(text));
  const isRun = own[0]?.text === 'run' || own[0]?.text === 'run-script';
  const [name, ...args] = isRun ? own.slice(1) : own;
  if (name === undefined || name.dynamic || !Object.hasOwn(scripts, name.text)) return undefined;
  if (!isRun && program.text === 'npm' && !/^(start|test|stop|restart)$/.test(name.text)) return undefined;
  return { name: name.text, args: args[0]?.text === '--' ? args.slice(1) : args };
}

/**
 * Returns the command that a watcher or process manager runs in place of a file: `npm run x` of `pm2 start npm -- run x`, `ts-node a.ts`
 * of `nodemon --exec ts-node a.ts`. Undefined if it runs a file.
 */
function managedCommand(command: Command): string | undefined {
  const { words, dynamic } = unwrap(command);
  if (dynamic || words.some((word) => word.dynamic)) return undefined;
  const [program = '', ...rest] = words.map(({ text }) => text);
  const run = parseRun(baseName(program), rest);
  if (!run || (run.command === undefined && !SCRIPT_RUNNER.test(run.file))) return undefined;
  const given = [run.file, ...run.args].filter((word) => word !== '').map(quoteWord);
  return [...(run.command === undefined ? [] : [run.command]), ...given].join(' ');
}

/** Replaces `npm run x` by the commands of the script, with `prex`, its variables and arguments. Undefined if a shell is needed. */
function expand(
  script: string,
  scripts: Scripts,
  budget = { characters: MAX_CHARACTERS },
  depth = 0,
): Command[] | undefined {
  budget.characters -= script.length + 1;
  if (depth > MAX_DEPTH || budget.characters < 0) return undefined;
  const commands = parseCommandLine(script);
  if (!commands) return undefined;
  const expanded: Command[] = [];
  for (const command of commands) {
    const { words, environment, dynamic } = unwrap(command);
    const managed = managedCommand(command);
    const isBuild = BUILD_COMMANDS.some((each) => each.test(command.text));
    const found = managed === undefined && !isBuild && !dynamic ? scriptOf(words, scripts) : undefined;
    const texts = found ? [scripts[`pre${found.name}`], scripts[found.name]] : [managed];
    if (!found && managed === undefined) {
      expanded.push(command);
      continue;
    }
    const assignments = Object.entries(environment).map(([name, value]) => ({
      text: `${name}=${value}`,
      dynamic: false,
    }));
    for (const text of texts) {
      if (text === undefined) continue;
      const inner = expand(text, scripts, budget, depth + 1);
      if (!inner) return undefined;
      expanded.push(...inner.map((each) => extended(each, assignments, [])));
    }
    const last = expanded.pop();
    if (last) expanded.push(extended(last, [], found?.args ?? []));
  }
  return expanded;
}

/** Returns a command with words before and after its own. */
const extended = ({ words, text }: Command, before: readonly Word[], after: readonly Word[]): Command => ({
  words: [...before, ...words, ...after],
  text: [...before.map(quoteAssignment), text, ...after.map(({ text }) => text)].join(' '),
});

/** Quotes the value of an assignment, whose name a shell must see. */
const quoteAssignment = ({ text }: Word): string => text.replace(/(?<=^\w+=).*/s, (value) => value && quoteWord(value));

/** Removes variables and wrappers before a program. `dynamic`: a shell is needed to tell what they do. */
function unwrap(command: Command): { words: Word[]; environment: Record<string, string>; dynamic: boolean } {
  let words = [...command.words];
  let dynamic = false;
  const environment: Record<string, string> = {};
  for (;;) {
    const [first] = words;
    if (first === undefined) break;
    if (ASSIGNMENT.test(first.text)) {
      const equals = first.text.indexOf('=');
      environment[first.text.slice(0, equals)] = first.text.slice(equals + 1);
      dynamic ||= first.dynamic;
    } else if (Object.hasOwn(WRAPPERS, first.text)) {
      const options = WRAPPERS[first.text] ?? {};
      words = words.slice(1);
      for (let word = words[0]; word && /^-/.test(word.text); word = words[0]) {
        const [name = '', inline] = word.text.split('=', 2);
        const meaning = name === '--' ? {} : Object.hasOwn(options, name) ? options[name] : undefined;
        dynamic ||= meaning === undefined;
        words = words.slice(meaning?.takesValue && inline === undefined ? 2 : 1);
      }
      continue;
    } else if (/^(pnpm|yarn|npm|bun)$/.test(first.text) && /^(exec|dlx|x)$/.test(words[1]?.text ?? '')) {
      words = words.slice(words[2]?.text === '--' ? 3 : 2);
      continue;
    } else break;
    words = words.slice(1);
  }
  return { words, environment, dynamic };
}

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
  const shell: StartScript = { kind: 'shell', command: command.text };
  if (!first || dynamic) return shell;
  const program = baseName(first.text);
  const texts = rest.map(({ text }) => text);
  const line = [program, ...texts].join(' ');
  if (DEVELOPMENT_SERVERS.some((each) => each.test(line))) return { kind: 'development', command: command.text };
  if (FRAMEWORK_STARTS.some((each) => each.test(line))) return { kind: 'framework' };
  if (Object.hasOwn(FILE_SERVERS, program)) return interpretFileServer(texts, FILE_SERVERS[program]);
  if (words.some((word) => word.dynamic)) return shell;
  if (Object.hasOwn(RUNNERS, program)) {
    const run = parseRun(program, texts);
    if (!run || run.command !== undefined) return shell;
    const { options, file, args } = run;
    return { kind: 'node', options, file, args, environment: { ...environment, ...run.environment } };
  }
  if (SCRIPT_RUNNER.test(program) || /^(sh|bash|cd|echo|true)$/.test(program)) return shell;
  return { kind: 'program', program, args: texts, environment };
}

/** Divides a start script into what belongs to the build and what starts the application. */
export function divideStartScript(script: string, scripts: Scripts): DividedScript {
  const commands = expand(script, scripts);
  if (!commands || commands.length === 0)
    return { build: [], directory: '', start: { kind: 'shell', command: script } };
  const build: string[] = [];
  let directory = '';
  let remaining = [...commands];
  for (let next = remaining[0]; next && remaining.length > 1; next = remaining[0]) {
    const { words } = unwrap(next);
    const line = words.map(({ text }) => text).join(' ');
    if (words[0]?.text === 'cd' && words.length === 2 && words[1] && !words[1].dynamic) {
      directory = directory === '' ? words[1].text : `${directory}/${words[1].text}`;
    } else if (BUILD_COMMANDS.some((each) => each.test(line))) {
      if (!/^(npm|pnpm|yarn|bun) (run(-script)? )?build$/.test(line)) build.push(next.text);
    } else break;
    remaining = remaining.slice(1);
  }
  // Nothing to clean up is no reason for a build.
  if (build.every((each) => CLEANING_COMMAND.test(each))) build.length = 0;
  const [only, ...others] = remaining;
  if (only && others.length === 0) return { build, directory, start: interpret(only) };
  return { build, directory, start: { kind: 'shell', command: remaining.map(({ text }) => text).join(' && ') } };
}

/** Returns the division of the package's start script, with `prestart`; undefined if there is none. */
export function startScriptOf(manifest: { scripts: Scripts } | undefined): DividedScript | undefined {
  const scripts = manifest?.scripts ?? {};
  if (scripts.start === undefined) return undefined;
  const command = 'npm run start';
  const divided = divideStartScript(command, scripts);
  if (divided.start.kind !== 'shell' || divided.start.command !== command) return divided;
  // A shell runs the script itself: a release has no npm.
  const texts = [scripts.prestart, scripts.start].filter((text) => text !== undefined);
  return { ...divided, start: { kind: 'shell', command: texts.join(' && ') } };
}
