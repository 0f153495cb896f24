import { entryOf } from '../../../contract/enums.ts';
import { parseCommandLine } from './command-line.ts';
import { NO_CONFIG, type NodemonConfig } from './manifest.ts';
import {
  DEVELOPMENT_OPTIONS,
  type Meaning,
  NO_FILE_OPTIONS,
  NODE_OPTIONS_WITH_VALUE,
  type Options,
  RUNNERS,
  type Runner,
} from './runners.ts';

/** A command of a program in {@link RUNNERS}, translated to a start by Node. */
export interface Run {
  /** The equivalent Node options. */
  options: string[];
  file: string;
  args: string[];
  /** Environment variables that are equivalent to the program's options. */
  environment: Record<string, string>;
  /** The command that the program runs with the file and the arguments: `ts-node` in `nodemon --exec ts-node a.ts`. */
  command: string | undefined;
}

/** Returns the meaning of an option, in kebab or camel case; undefined for an unknown option. */
function meaningOf(options: Options, name: string): Meaning | undefined {
  const names = [name, name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
  return names.map((spelling) => entryOf(options, spelling)).find((meaning) => meaning !== undefined);
}

/** The state of parsing a command, with the words that remain. */
interface ParseState extends Omit<Run, 'file'> {
  file: string | undefined;
  /** Node options that are equivalent to the program. */
  programOptions: readonly string[];
  rest: string[];
}

/** Default commands of nodemon by file extension, if its configuration has none. */
const NODEMON_COMMANDS: Readonly<Record<string, string>> = { ts: 'ts-node' };

/** Returns the command with which nodemon runs a file; undefined for Node. */
function nodemonCommand(file: string | undefined, { exec, execMap }: NodemonConfig): string | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(file ?? '') ?? [];
  return exec ?? entryOf({ ...NODEMON_COMMANDS, ...execMap }, extension);
}

/**
 * Parses the words after a program that runs a file. Returns undefined if the words need a shell.
 * @param config nodemon's configuration
 */
export function parseRun(
  program: string,
  words: readonly string[],
  config: NodemonConfig = NO_CONFIG,
): Run | undefined {
  const state = readWords(program, words);
  if (!state) return undefined;
  const { programOptions, options, file, args, environment } = state;
  const isNodemon = program === 'nodemon';
  // Another configuration file replaces the known one and may set the command.
  const isKnown = isNodemon && !words.some((word) => /^--config(=|$)/.test(word));
  const command = state.command ?? (isNodemon ? nodemonCommand(file, isKnown ? config : NO_CONFIG) : undefined);
  if (file === undefined && command === undefined && !isKnown) return undefined;
  // Without a file, nodemon runs the main file of package.json, as Node does for a directory.
  return {
    options: [...programOptions, ...options],
    file: file ?? (command === undefined ? '.' : ''),
    args,
    environment,
    command,
  };
}

/** Reads the words after a program. Returns undefined if they need a shell. */
function readWords(program: string, words: readonly string[]): ParseState | undefined {
  const runner = entryOf(RUNNERS, program);
  if (!runner) return undefined;
  const state: ParseState = {
    programOptions: runner.node,
    options: [],
    args: [],
    environment: {},
    file: undefined,
    command: undefined,
    rest: [...words],
  };
  for (let word = state.rest.shift(); word !== undefined; word = state.rest.shift()) {
    const isRead = word.startsWith('-') ? readOption(runner, state, word) : readArgument(runner, state, word);
    if (!isRead) return undefined;
  }
  return state;
}

/** Reads the file or one of its arguments. Always returns true. */
function readArgument(runner: Runner, state: ParseState, word: string): true {
  if (state.file !== undefined) {
    if (runner.passesOptions) state.args.push(word);
  } else if (!runner.subcommands.includes(word)) {
    state.file = word;
    if (runner.endsAtFile) state.args.push(...state.rest.splice(0));
  }
  return true;
}

/** Reads an option with its value. Returns false if the option needs a shell. */
function readOption(runner: Runner, state: ParseState, word: string): boolean {
  const { rest, file, command } = state;
  if (word === '--') {
    if (file !== undefined || command !== undefined) state.args.push(...rest.splice(0));
    return true;
  }
  const [, name = '', inline] = /^([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const meaning = meaningOf(runner.options, name);
  if (meaning) {
    apply(meaning, meaning.takesValue ? (inline ?? rest.shift() ?? '') : '', state);
    return true;
  }
  if (!runner.passesOptions) return false;
  if (file !== undefined) {
    state.args.push(word);
    return true;
  }
  if (NO_FILE_OPTIONS.test(name)) return false;
  const value = inline === undefined && NODE_OPTIONS_WITH_VALUE.includes(name) ? [rest.shift() ?? ''] : [];
  if (!DEVELOPMENT_OPTIONS.test(name)) state.options.push(word, ...value);
  return true;
}

/** Applies a program's own option. */
function apply({ variable, replaces, value: use }: Meaning, value: string, state: ParseState): void {
  if (variable) state.environment[variable[0]] = variable[1] ?? value;
  if (replaces) state.programOptions = replaces;
  if (use === 'command') state.command = value;
  if (use === 'node-options') state.options.push(...wordsOf(value));
  if (use === 'required') state.options.push('--require', value);
}

const wordsOf = (text: string): string[] =>
  parseCommandLine(text)?.flatMap(({ words }) => words.map((word) => word.text)) ?? [];
