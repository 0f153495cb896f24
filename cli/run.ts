import { ApiError, ConnectionError, createClient } from '../client/index.ts';
import { type Command, CommandError, type Context, EXIT, NotSignedIn, UsageError } from './command.ts';
import { helpOf, overview } from './help.ts';
import { Output, printable } from './output.ts';
import { commandOf, type Invocation, parse, wordsOf } from './parse.ts';
import { ask } from './prompt.ts';
import { parseApi, Settings } from './settings/settings.ts';
import { COMPLETE, candidates } from './shell/completion.ts';

/** The process environment of a command. */
export interface ProcessEnvironment {
  /** The current folder. Only commands that need it read it. @throws CommandError if it was deleted */
  readonly cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadStream;
  /** The stream on which questions are asked. */
  stderr: NodeJS.WritableStream;
  signal: AbortSignal;
  /** Aborts the signal, as Ctrl-C does. */
  interrupt(): void;
  isTerminal: boolean;
  write(text: string): void;
  writeError(text: string): void;
}

declare const CLI_VERSION: string | undefined;
const VERSION = typeof CLI_VERSION === 'string' ? CLI_VERSION : 'development';

function contextOf(
  { command, arguments: given, rest, values }: Invocation,
  around: ProcessEnvironment,
  out: Output,
): Context {
  const { env, stdin, signal } = around;
  const settings = new Settings(env);
  const option = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  const api = () => {
    // An empty variable counts as absent: continuous integration sets a missing secret to an empty string.
    const chosen = option('api') ?? (env.HOSTING_API || settings.api);
    if (chosen) return parseApi(chosen);
    if (command.name === 'login' || env.HOSTING_KEY?.trim())
      throw new UsageError('Which installation? Name it with --api, e.g. --api https://api.example.com');
    throw new NotSignedIn('You are not signed in. Run hosting login --api https://api.example.com');
  };
  return {
    rest,
    out,
    settings,
    api,
    get cwd() {
      return around.cwd;
    },
    env,
    signal,
    stdin,
    option,
    argument: (name) => given.get(name) ?? '',
    flag: (name) => values[name] === true,
    client: () => {
      const baseUrl = api();
      const secretKey = env.HOSTING_KEY?.trim() || settings.of(baseUrl).secretKey?.trim();
      if (!secretKey) throw new NotSignedIn(`You are not signed in to ${baseUrl}. Run hosting login.`);
      // The key may have been truncated with … by a terminal, or contain a line break.
      if (!/^[\x21-\x7e]+$/.test(secretKey)) throw new NotSignedIn(invalidKey(command, env));
      return createClient({ baseUrl, secretKey });
    },
    ask: (question) => ask(question, around),
    confirm: async (question) => {
      if (values.yes === true) return;
      if (!stdin.isTTY) throw new CommandError(`${question} Confirm with --yes.`);
      const answer = await ask(`${question} [y/N] `, around);
      if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CommandError('Nothing was done.');
    },
  };
}

/** Returns the message for a key that the platform refuses. */
function invalidKey(command: Command, { HOSTING_KEY }: ProcessEnvironment['env']): string {
  if (HOSTING_KEY) return 'HOSTING_KEY is invalid or no longer valid. Unset or replace it.';
  if (command.name === 'login') return 'The key is invalid or no longer valid.';
  return 'The key is invalid or no longer valid. Run hosting login.';
}

/** Returns advice if a proxy is set that Node does not use. */
function proxyAdvice({ HTTPS_PROXY, https_proxy, NODE_USE_ENV_PROXY }: ProcessEnvironment['env']): string {
  const isUnused = (HTTPS_PROXY || https_proxy) && NODE_USE_ENV_PROXY !== '1';
  return isUnused ? ' Node uses HTTPS_PROXY only with NODE_USE_ENV_PROXY=1, from version 22.21 on.' : '';
}

/** Prints the error, and returns the exit code. */
function explain(error: unknown, command: Command, out: Output, { signal, env }: ProcessEnvironment): number {
  if (signal.aborted) return EXIT.interrupted;
  const tell = (text: string) => out.note(`${out.style('red', 'error')}: ${printable(text)}`);
  if (error instanceof CommandError) {
    tell(error.message);
    return error.exitCode;
  }
  if (error instanceof ApiError) {
    const isUnauthorized = error.code === 'unauthorized';
    tell(isUnauthorized ? `${invalidKey(command, env)} ${error.message}` : error.message);
    if (error.requestId) out.note(out.style('dim', `${error.code}, request ${error.requestId}`));
    return isUnauthorized ? EXIT.notSignedIn : EXIT.failed;
  }
  if (error instanceof ConnectionError) {
    tell(`${error.message} Check the address (--api) and your connection.${proxyAdvice(env)}`);
    return EXIT.failed;
  }
  // A file that cannot be read or written. The message names the file and the reason.
  if (error instanceof Error && 'syscall' in error) {
    tell(error.message);
    return EXIT.failed;
  }
  throw error;
}

/** Shows all commands, or those of a group: on request, or because the words are not a command. */
function showOverview(commands: readonly Command[], argv: readonly string[], out: Output): number {
  const word = wordsOf(commands, argv).find((each) => each !== 'help');
  if (word === undefined) {
    out.part(overview(commands));
    return EXIT.ok;
  }
  const isGroup = commands.some(({ name }) => name.startsWith(`${word} `));
  if (isGroup && ['help', '--help', '-h'].some((flag) => argv.includes(flag))) {
    out.part(overview(commands, word));
    return EXIT.ok;
  }
  if (!isGroup) out.note(`${out.style('red', 'error')}: there is no command "${printable(word)}".`);
  out.note(overview(commands, isGroup ? word : ''));
  return EXIT.usage;
}

/** Runs a command line. @returns the exit code */
export async function run(
  commands: readonly Command[],
  argv: readonly string[],
  around: ProcessEnvironment,
): Promise<number> {
  const color = around.isTerminal && !around.env.NO_COLOR;
  const { write, writeError } = around;
  const out = new Output({ write, writeError, json: argv.includes('--json'), color });
  const [first = ''] = argv;
  if (first === COMPLETE) {
    for (const candidate of candidates(commands, argv.slice(1))) out.line(candidate);
    return EXIT.ok;
  }
  if (first === '--version') {
    out.line(VERSION);
    return EXIT.ok;
  }
  const command = commandOf(commands, first === 'help' ? argv.slice(1) : argv);
  if (!command) return showOverview(commands, argv, out);
  try {
    const invocation = parse(command, first === 'help' ? [...argv.slice(1), '--help'] : argv);
    if (invocation.values.help) out.part(helpOf(command));
    else await command.run(contextOf(invocation, around, out));
    return EXIT.ok;
  } catch (error) {
    if (error instanceof UsageError) out.note(out.style('dim', `hosting ${command.name} --help shows its arguments.`));
    return explain(error, command, out, around);
  }
}
