import { type Argument, type Command, GLOBAL_OPTIONS, type Option } from './command.ts';

const ARGUMENT = ({ name, optional, many }: Argument) => {
  const text = many ? `${name}…` : name;
  return optional ? `[${text}]` : `<${text}>`;
};

/** Returns the usage of a command: `hosting apps create <name>`. */
export const synopsis = ({ name, arguments: expected = [] }: Command): string =>
  ['hosting', name, ...expected.map(ARGUMENT)].join(' ');

/** Returns the usage of an option: `-y, --yes` or `--app <name>`. */
export const optionText = ({ name, short, value }: Option): string =>
  `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`;

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return '';
  const width = Math.max(...rows.map(([left]) => left.length));
  return `\n${title}\n${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')}\n`;
}

/** Returns the help for a command. */
export function helpOf(command: Command): string {
  const { summary, description, arguments: expected = [], options = [], examples = [] } = command;
  return [
    `${summary}.${description ? `\n${description}` : ''}\n`,
    `\nUsage\n  ${synopsis(command)} [options]\n`,
    section(
      'Arguments',
      expected.map(({ name, description }) => [name, description]),
    ),
    section(
      'Options',
      [...options, ...GLOBAL_OPTIONS].map((option) => [optionText(option), option.description]),
    ),
    section(
      'Examples',
      examples.map((example) => [example, '']),
    ),
  ].join('');
}

/** Returns the help for all commands, or for those of a group. */
export function overview(commands: readonly Command[], group = ''): string {
  const shown = commands.filter(({ name }) => group === '' || name.split(' ')[0] === group);
  return [
    'Usage\n  hosting <command> [options]\n',
    section(
      'Commands',
      shown.map((command) => [synopsis(command).slice('hosting '.length), command.summary]),
    ),
    section(
      'Options',
      GLOBAL_OPTIONS.map((option) => [optionText(option), option.description]),
    ),
    '\nhosting <command> --help shows more. Exit codes: 0 success, 1 failure, 2 invalid command line, 3 not signed in.\n',
  ].join('');
}
