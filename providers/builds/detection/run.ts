import { entryOf } from '../../../contract/enums.ts';
import { parseCommandLine } from './command-line.ts';
import {
  DEVELOPMENT_OPTIONS,
  type Meaning,
  NO_FILE_OPTIONS,
  NODE_OPTIONS_WITH_VALUE,
  type Options,
  RUNNERS,
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

/** Interprets the words that follow a program which runs a file; undefined if only a shell can tell. */
export function parseRun(program: string, words: readonly string[]): Run | undefined {
  const runner = entryOf(RUNNERS, program);
  if (!runner) return undefined;
  let own = runner.node;
  const run = { options: [] as string[], args: [] as string[], environment: {} as Record<string, string> };
  let [file, command]: (string | undefined)[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const isOption = word.startsWith('-');
    const [, name = '', inline] = /^([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const meaning = isOption ? meaningOf(runner.options, name) : undefined;
    if (word === '--') {
      if (file !== undefined || command !== undefined) run.args.push(...rest.splice(0));
    } else if (meaning) {
      const { takesValue, variable, replaces, value: use } = meaning;
      const value = takesValue ? (inline ?? rest.shift() ?? '') : '';
      if (variable) run.environment[variable[0]] = variable[1] ?? value;
      if (replaces) own = replaces;
      if (use === 'command') command = value;
      if (use === 'node-options') run.options.push(...wordsOf(value));
      if (use === 'required') run.options.push('--require', value);
    } else if (isOption && !runner.passesOptions) {
      return undefined;
    } else if (file !== undefined) {
      if (runner.passesOptions) run.args.push(word);
    } else if (isOption) {
      if (NO_FILE_OPTIONS.test(name)) return undefined;
      const value = inline === undefined && NODE_OPTIONS_WITH_VALUE.includes(name) ? [rest.shift() ?? ''] : [];
      if (!DEVELOPMENT_OPTIONS.test(name)) run.options.push(word, ...value);
    } else if (!runner.subcommands.includes(word)) {
      file = word;
      if (runner.endsAtFile) run.args.push(...rest.splice(0));
    }
  }
  if (file === undefined && command === undefined) return undefined;
  return { ...run, options: [...own, ...run.options], file: file ?? '', command };
}

const wordsOf = (text: string): string[] =>
  parseCommandLine(text)?.flatMap(({ words }) => words.map((word) => word.text)) ?? [];
