import type { Client } from '../client/index.ts';
import type { Output } from './output.ts';
import type { Settings } from './settings/settings.ts';

/** An argument of a command, by its position. */
export interface Argument {
  name: string;
  description: string;
  optional?: true;
  /** True for a last argument that takes all remaining values. */
  many?: true;
}

export interface Option {
  name: string;
  description: string;
  short?: string;
  /** The placeholder for its value in help. An option without one is a flag. */
  value?: string;
  /** The values that completion offers. */
  choices?: readonly string[];
}

/** A command as data. Dispatch, help, completion and docs/cli.md are derived from it. */
export interface Command {
  /** The words of the command, such as `apps create`. */
  name: string;
  /** One sentence without a full stop, in the imperative. */
  summary: string;
  /** Further sentences of its help. */
  description?: string;
  arguments?: readonly Argument[];
  options?: readonly Option[];
  examples?: readonly string[];
  /** Runs the command. @throws CommandError, UsageError, ApiError, ConnectionError */
  run(context: Context): Promise<void>;
}

/** The input and environment of a command. */
export interface Context {
  /** Returns the value of an argument; an empty string for an omitted optional one. */
  argument(name: string): string;
  /** The values of the argument that takes many. */
  rest: readonly string[];
  option(name: string): string | undefined;
  flag(name: string): boolean;
  out: Output;
  settings: Settings;
  /** Returns the address of the installation. @throws NotSignedIn, or UsageError if only the address is missing */
  api(): string;
  /** Returns a client with the key. @throws NotSignedIn */
  client(): Client;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user interrupts the command. */
  signal: AbortSignal;
  stdin: NodeJS.ReadStream;
  /** Asks a question at the terminal. Returns the answer; undefined at the end of the input (Ctrl-D). */
  ask(question: string): Promise<string | undefined>;
  /** Asks for confirmation before an action that cannot be undone or costs money. `--yes` confirms. @throws CommandError if declined */
  confirm(question: string): Promise<void>;
}

/** The exit codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notSignedIn: 3, interrupted: 130 } as const;

/** A failure that the user can fix. The message says how. */
export class CommandError extends Error {
  readonly exitCode: number = EXIT.failed;
}

/** An invalid command line. */
export class UsageError extends CommandError {
  override readonly exitCode = EXIT.usage;
}

/** A missing key, or a key that the platform refuses. */
export class NotSignedIn extends CommandError {
  override readonly exitCode = EXIT.notSignedIn;
}

/** The option that answers all questions of a command. */
export const YES: Option = { name: 'yes', short: 'y', description: 'Answer yes to all questions' };

/** Options of every command. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  { name: 'json', description: 'Print JSON: one document, or one per line for results that arrive over time' },
  {
    name: 'api',
    value: 'url',
    description: 'Address of the installation. Default: HOSTING_API, or the address of the last login',
  },
  { name: 'help', short: 'h', description: 'Show the help of a command' },
];
