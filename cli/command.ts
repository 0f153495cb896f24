import type { Client } from '../client/index.ts';
import type { Output } from './output.ts';
import type { Settings } from './settings/settings.ts';

/** An argument of a command, by its position. */
export interface Argument {
  name: string;
  description: string;
  optional?: true;
  /** Takes all that follow; only the last one may. */
  many?: true;
}

export interface Option {
  name: string;
  description: string;
  short?: string;
  /** Placeholder of its value in help; an option without one is a flag. */
  value?: string;
  /** The values that completion offers. */
  choices?: readonly string[];
}

/** A command as data: dispatch, help, completion and docs/cli.md come from it. */
export interface Command {
  /** Its words: `apps create`. */
  name: string;
  /** One sentence without a full stop, in the imperative. */
  summary: string;
  /** Further sentences of its help. */
  description?: string;
  arguments?: readonly Argument[];
  options?: readonly Option[];
  examples?: readonly string[];
  /** Resolves when it succeeded. @throws CommandError, UsageError, ApiError, ConnectionError */
  run(context: Context): Promise<void>;
}

/** Everything that a command is given. */
export interface Context {
  /** The text of an argument; empty where an optional one was left out. */
  argument(name: string): string;
  /** All texts of the argument that takes many. */
  rest: readonly string[];
  option(name: string): string | undefined;
  flag(name: string): boolean;
  out: Output;
  settings: Settings;
  /** The address of the installation. @throws NotSignedIn where none is known, UsageError where only that is missing */
  api(): string;
  /** A client with the key. @throws NotSignedIn */
  client(): Client;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user ends the command. */
  signal: AbortSignal;
  stdin: NodeJS.ReadStream;
  /** Asks a question at the terminal. Returns the answer; undefined at the end of the input (Ctrl-D). */
  ask(question: string): Promise<string | undefined>;
  /** Asks before something that cannot be undone or costs something; `--yes` answers. @throws CommandError when declined */
  confirm(question: string): Promise<void>;
}

/** The exit codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notSignedIn: 3, interrupted: 130 } as const;

/** A failure that the user can do something about: its message says what. */
export class CommandError extends Error {
  readonly exitCode: number = EXIT.failed;
}

/** A command line that means nothing. */
export class UsageError extends CommandError {
  override readonly exitCode = EXIT.usage;
}

/** No key, or one that the platform refuses. */
export class NotSignedIn extends CommandError {
  override readonly exitCode = EXIT.notSignedIn;
}

/** The option by which every command that asks is told not to. */
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
