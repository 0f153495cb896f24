import { type ParseArgsConfig, parseArgs } from 'node:util';
import * as z from 'zod';
import { FAILURE_NAMES, type FailureName } from '../../contract/operator/failures.ts';

const OPTIONS = {
  stage: { type: 'string' },
  region: { type: 'string' },
  local: { type: 'boolean' },
  reason: { type: 'string' },
  at: { type: 'string' },
  as: { type: 'string' },
  cell: { type: 'string' },
  share: { type: 'string' },
  account: { type: 'string' },
  on: { type: 'string' },
  owner: { type: 'string' },
  ends: { type: 'string' },
  email: { type: 'string' },
  replace: { type: 'boolean' },
} as const satisfies ParseArgsConfig['options'];

type Option = keyof typeof OPTIONS;
type Flag = 'local' | 'replace';

/** A parsed command line: the command, the words after it and its options. No option is empty. */
export interface CommandLine {
  command: CommandName;
  words: readonly string[];
  options: Partial<Record<Exclude<Option, Flag>, string>> & Partial<Record<Flag, boolean>>;
}

interface Command {
  /** The words and options after the name, for the usage message. */
  usage: string;
  /** Minimum and maximum number of words. */
  words?: readonly [number, number];
  needs?: readonly Exclude<Option, Flag>[];
  takes?: readonly Option[];
  /** True if the command works only on a deployed platform. */
  isDeployedOnly?: true;
}

const QUEUE = `${FAILURE_NAMES.join('|')}`;
const REASON = '--reason "…"';

const COMMANDS = {
  list: { usage: `[${QUEUE}]`, words: [0, 1], takes: ['reason'] },
  replay: { usage: `${QUEUE} ${REASON}`, words: [1, 1], needs: ['reason'] },
  discard: { usage: `${QUEUE} ${REASON}`, words: [1, 1], needs: ['reason'] },
  restore: { usage: `--at 2026-11-23T10:00:00Z [--as name] ${REASON}`, needs: ['at', 'reason'], takes: ['as'] },
  repair: { usage: REASON, needs: ['reason'] },
  'restore-logins': { usage: REASON, needs: ['reason'] },
  'move-app': { usage: `app_… --cell b ${REASON}`, words: [1, 1], needs: ['cell', 'reason'] },
  flag: {
    usage: `list|set|end [name] [--share 50 | --account acc_… --on true|false] [--owner name] [--ends 2027-06-30] ${REASON}`,
    words: [0, 2],
    takes: ['reason', 'share', 'account', 'on', 'owner', 'ends'],
  },
  'hosting-servers': { usage: '' },
  'second-factor': {
    usage: '--email operator@example.com [--replace]',
    needs: ['email'],
    takes: ['replace'],
    isDeployedOnly: true,
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;
const NAMES = Object.keys(COMMANDS) as CommandName[];

function usageOf(name: CommandName): string {
  const { usage, isDeployedOnly }: Command = COMMANDS[name];
  const deployed = '--stage prod --region af-south-1';
  const target = isDeployedOnly ? deployed : `(${deployed} | --local)`;
  return ['npm run operate --', name, usage, target].filter(Boolean).join(' ');
}

/** A problem with a command line. The message contains the usage. */
class UsageError extends Error {
  constructor(problem: string, names: readonly CommandName[]) {
    super([problem, 'usage:', ...names.map((name) => `  ${usageOf(name)}`)].join('\n'));
  }
}

/** Parses a command line. Throws a {@link UsageError} if something is missing, unknown or empty. */
export function parseCommand(line: readonly string[]): CommandLine {
  const command = NAMES.find((name) => name === line[0]);
  if (!command) throw new UsageError(line[0] ? `There is no command ${line[0]}.` : 'Give a command.', NAMES);
  const refuse = (problem: string) => new UsageError(problem, [command]);
  const { words: [minWords, maxWords] = [0, 0], needs = [], takes = [], isDeployedOnly }: Command = COMMANDS[command];
  const targetOptions: Option[] = isDeployedOnly ? ['stage', 'region'] : ['stage', 'region', 'local'];
  const known = [...targetOptions, ...needs, ...takes];
  const { positionals: words, values } = readWords(line.slice(1), known, refuse);
  const options: CommandLine['options'] = values;
  const hasTarget = options.local || (options.stage !== undefined && options.region !== undefined);
  const missing = needs.find((name) => options[name] === undefined);
  if (missing) throw refuse(`--${missing} is required.`);
  const empty = Object.entries(options).find(([, value]) => value === '');
  if (empty) throw refuse(`--${empty[0]} is empty.`);
  if (words.length < minWords) throw refuse(`${command} needs a name.`);
  if (words.length > maxWords) throw refuse(`${words[maxWords]} is one word too many.`);
  if (!hasTarget) throw refuse(`--stage and --region are required${isDeployedOnly ? '' : ', or --local'}.`);
  return { command, words, options };
}

function readWords(args: string[], known: readonly Option[], refuse: (problem: string) => Error) {
  try {
    const options = Object.fromEntries(known.map((name) => [name, OPTIONS[name]]));
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Returns the failure queue with a name. Throws if there is none. */
export function failureNameOf(word: string): FailureName {
  const name = FAILURE_NAMES.find((each) => each === word);
  if (!name) throw new Error(`There is no failure queue ${word}: ${FAILURE_NAMES.join(', ')}.`);
  return name;
}

/** Parses a time. It must have an offset: without one, it would depend on this machine's time zone. */
export function parseTime(text: string): Date {
  // `Date` would accept the 30th of February as the 2nd of March.
  const { success, data } = z.iso.datetime({ offset: true }).safeParse(text);
  if (!success) throw new Error('--at: give a time with Z or an offset, such as 2026-11-23T10:00:00Z.');
  return new Date(data);
}
