import { parseArgs } from 'node:util';
import { type Command, GLOBAL_OPTIONS, type Option, UsageError } from './command.ts';

/** A parsed command line. */
export interface Invocation {
  command: Command;
  arguments: ReadonlyMap<string, string>;
  rest: readonly string[];
  values: Readonly<Record<string, string | boolean | undefined>>;
}

/** Returns the longest command with which the words begin, and its number of words. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; length: number } | undefined {
  const found = commands
    .map((command) => ({ command, name: command.name.split(' ') }))
    .filter(({ name }) => name.every((word, index) => words[index] === word))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  return found && { command: found.command, length: found.name.length };
}

/** Returns the forms in which an option can be given: `--app`, `-a`. */
export const flagsOf = ({ name, short }: Option): string[] => [`--${name}`, ...(short ? [`-${short}`] : [])];

/** Returns options in the format of `parseArgs`. */
const toConfig = (options: readonly Option[]) =>
  Object.fromEntries(
    options.map(({ name, value, short }) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const), ...(short ? { short } : {}) },
    ]),
  );

/** Returns the words of a command line without options and their values, which may come before the command. */
export function wordsOf(commands: readonly Command[], argv: readonly string[]): string[] {
  const options = [...GLOBAL_OPTIONS, ...commands.flatMap(({ options = [] }) => options)];
  const valued = new Set(options.filter(({ value }) => value).flatMap(flagsOf));
  return argv.filter((word, index) => !word.startsWith('-') && !valued.has(argv[index - 1] ?? ''));
}

/** Returns the command of a command line, even with options before its words. The name of a group selects its `list`. */
export function commandOf(commands: readonly Command[], argv: readonly string[]): Command | undefined {
  const words = wordsOf(commands, argv);
  const [group, ...others] = words;
  const isListed = others.length === 0 && !argv.includes('--help') && !argv.includes('-h');
  return (findCommand(commands, words) ?? (isListed && group ? findCommand(commands, [group, 'list']) : undefined))
    ?.command;
}

function bind({ name, arguments: expected = [] }: Command, given: readonly string[]) {
  const bound = new Map<string, string>();
  let rest: readonly string[] = [];
  for (const [index, argument] of expected.entries()) {
    if (argument.many) rest = given.slice(index);
    const value = given[index];
    if (value === undefined && !argument.optional)
      throw new UsageError(`hosting ${name} needs ${argument.name}: ${argument.description.toLowerCase()}.`);
    if (value !== undefined) bound.set(argument.name, value);
  }
  const extra = expected.at(-1)?.many ? undefined : given[expected.length];
  if (extra !== undefined) throw new UsageError(`hosting ${name} takes no further argument: ${extra}.`);
  return { arguments: bound, rest };
}

/** Parses a command line. @throws UsageError */
export function parse(command: Command, argv: readonly string[]): Invocation {
  const options = toConfig([...GLOBAL_OPTIONS, ...(command.options ?? [])]);
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    const given = positionals.slice(command.name.split(' ').length);
    return { command, ...(values.help ? { arguments: new Map(), rest: [] } : bind(command, given)), values };
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/\. To specify a .*$/s, '.'));
    throw error;
  }
}
