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

/** Start of a program of {@link RUNNERS} without it. */
export interface Run {
  /** Options of Node that do the same. */
  options: string[];
  file: string;
  args: string[];
  /** Variables that its options stand for. */
  environment: Record<string, string>;
  /** The command that it runs with the file and the arguments: `ts-node` of `nodemon --exec ts-node a.ts`. */
  command: string | undefined;
}

/** Returns the meaning of an option, also of one written in camel case; undefined for an unknown one. */
function meaningOf(options: Options, name: string): Meaning | undefined {
  const names = [name, name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
  return names.map((each) => entryOf(options, each)).find((meaning) => meaning !== undefined);
}

/** A start as far as it is read, and the words that follow. */
interface Reading extends Omit<Run, 'file'> {
  file: string | undefined;
  /** Options of Node that do what the program does. */
  own: readonly string[];
  rest: string[];
}

/** The commands that nodemon runs files with by their extensions, where its configuration names none. */
const NODEMON_COMMANDS: Readonly<Record<string, string>> = { ts: 'ts-node' };

/** Returns the command that nodemon runs a file with; undefined for Node. */
function nodemonCommand(file: string | undefined, { exec, execMap }: NodemonConfig): string | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(file ?? '') ?? [];
  return exec ?? entryOf({ ...NODEMON_COMMANDS, ...execMap }, extension);
}

/**
 * Interprets the words that follow a program which runs a file; undefined if only a shell can tell.
 * @param config of nodemon
 */
export function parseRun(
  program: string,
  words: readonly string[],
  config: NodemonConfig = NO_CONFIG,
): Run | undefined {
  const reading = readWords(program, words);
  if (!reading) return undefined;
  const { own, options, file, args, environment } = reading;
  const isNodemon = program === 'nodemon';
  // Another file of configuration takes the place of the one that is known, and may name the command.
  const isKnown = isNodemon && !words.some((word) => /^--config(=|$)/.test(word));
  const command = reading.command ?? (isNodemon ? nodemonCommand(file, isKnown ? config : NO_CONFIG) : undefined);
  if (file === undefined && command === undefined && !isKnown) return undefined;
  // Without a file nodemon runs that of package.json, as Node does with a directory.
  return {
    options: [...own, ...options],
    file: file ?? (command === undefined ? '.' : ''),
    args,
    environment,
    command,
  };
}

/** Reads the words that follow a program; undefined if only a shell can tell what they mean. */
function readWords(program: string, words: readonly string[]): Reading | undefined {
  const runner = entryOf(RUNNERS, program);
  if (!runner) return undefined;
  const reading: Reading = {
    own: runner.node,
    options: [],
    args: [],
    environment: {},
    file: undefined,
    command: undefined,
    rest: [...words],
  };
  for (let word = reading.rest.shift(); word !== undefined; word = reading.rest.shift()) {
    const isRead = word.startsWith('-') ? readOption(runner, reading, word) : readArgument(runner, reading, word);
    if (!isRead) return undefined;
  }
  return reading;
}

/** Reads the file, or an argument of it. Always returns true. */
function readArgument(runner: Runner, reading: Reading, word: string): true {
  if (reading.file !== undefined) {
    if (runner.passesOptions) reading.args.push(word);
  } else if (!runner.subcommands.includes(word)) {
    reading.file = word;
    if (runner.endsAtFile) reading.args.push(...reading.rest.splice(0));
  }
  return true;
}

/** Reads an option with its value. Returns false for one whose meaning only a shell can tell. */
function readOption(runner: Runner, reading: Reading, word: string): boolean {
  const { rest, file, command } = reading;
  if (word === '--') {
    if (file !== undefined || command !== undefined) reading.args.push(...rest.splice(0));
    return true;
  }
  const [, name = '', inline] = /^([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const meaning = meaningOf(runner.options, name);
  if (meaning) {
    apply(meaning, meaning.takesValue ? (inline ?? rest.shift() ?? '') : '', reading);
    return true;
  }
  if (!runner.passesOptions) return false;
  if (file !== undefined) {
    reading.args.push(word);
    return true;
  }
  if (NO_FILE_OPTIONS.test(name)) return false;
  const value = inline === undefined && NODE_OPTIONS_WITH_VALUE.includes(name) ? [rest.shift() ?? ''] : [];
  if (!DEVELOPMENT_OPTIONS.test(name)) reading.options.push(word, ...value);
  return true;
}

/** Applies a program's own option. */
function apply({ variable, replaces, value: use }: Meaning, value: string, reading: Reading): void {
  if (variable) reading.environment[variable[0]] = variable[1] ?? value;
  if (replaces) reading.own = replaces;
  if (use === 'command') reading.command = value;
  if (use === 'node-options') reading.options.push(...wordsOf(value));
  if (use === 'required') reading.options.push('--require', value);
}

const wordsOf = (text: string): string[] =>
  parseCommandLine(text)?.flatMap(({ words }) => words.map((word) => word.text)) ?? [];
