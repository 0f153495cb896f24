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

/** A command line that was read: the command, the words after it and its options, none of which is empty. */
export interface Given {
  command: CommandName;
  words: readonly string[];
  options: Partial<Record<Exclude<Option, Flag>, string>> & Partial<Record<Flag, boolean>>;
}

interface Command {
  /** The words and options after the name, as the usage shows them. */
  usage: string;
  /** Words that must be given, and those that may be. */
  words?: readonly [number, number];
  needs?: readonly Exclude<Option, Flag>[];
  takes?: readonly Option[];
  /** True for one that is for a deployed platform only. */
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
  const place = isDeployedOnly ? deployed : `(${deployed} | --local)`;
  return ['npm run operate --', name, usage, place].filter(Boolean).join(' ');
}

/** Problem of a command line, for the person who typed it. */
class UsageError extends Error {
  constructor(problem: string, names: readonly CommandName[]) {
    super([problem, 'usage:', ...names.map((name) => `  ${usageOf(name)}`)].join('\n'));
  }
}

/** Reads a command line. Throws for what is missing, unknown or empty, and says how the command is used. */
export function parseCommand(line: readonly string[]): Given {
  const command = NAMES.find((name) => name === line[0]);
  if (!command) throw new UsageError(line[0] ? `There is no command ${line[0]}.` : 'Give a command.', NAMES);
  const refuse = (problem: string) => new UsageError(problem, [command]);
  const { words: [least, most] = [0, 0], needs = [], takes = [], isDeployedOnly }: Command = COMMANDS[command];
  const place: Option[] = isDeployedOnly ? ['stage', 'region'] : ['stage', 'region', 'local'];
  const known = [...place, ...needs, ...takes];
  const { positionals: words, values } = readWords(line.slice(1), known, refuse);
  const options: Given['options'] = values;
  const isPlaced = options.local || (options.stage !== undefined && options.region !== undefined);
  const missing = needs.find((name) => options[name] === undefined);
  if (missing) throw refuse(`--${missing} is required.`);
  const empty = Object.entries(options).find(([, value]) => value === '');
  if (empty) throw refuse(`--${empty[0]} is empty.`);
  if (words.length < least) throw refuse(`${command} needs a name.`);
  if (words.length > most) throw refuse(`${words[most]} is one word too many.`);
  if (!isPlaced) throw refuse(`--stage and --region are required${isDeployedOnly ? '' : ', or --local'}.`);
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

/** Returns the failure queue that a word names. Throws for a word that names none. */
export function failureNameOf(word: string): FailureName {
  const name = FAILURE_NAMES.find((each) => each === word);
  if (!name) throw new Error(`There is no failure queue ${word}: ${FAILURE_NAMES.join(', ')}.`);
  return name;
}

/** Reads a time with its offset: without one it would be that of this machine. */
export function parseTime(text: string): Date {
  // `Date` takes the 30th of February for the 2nd of March.
  const { success, data } = z.iso.datetime({ offset: true }).safeParse(text);
  if (!success) throw new Error('--at: give a time with Z or an offset, such as 2026-11-23T10:00:00Z.');
  return new Date(data);
}
