import { ApiError, ConnectionError, createClient } from '../client/index.ts';
import { type Command, CommandError, type Context, EXIT, NotSignedIn, UsageError } from './command.ts';
import { helpOf, overview } from './help.ts';
import { Output, printable } from './output.ts';
import { commandOf, type Invocation, parse } from './parse.ts';
import { ask } from './prompt.ts';
import { parseApi, Settings } from './settings/settings.ts';
import { COMPLETE, candidates } from './shell/completion.ts';

/** The process that a command runs in. */
export interface Surroundings {
  /** The current folder. @throws CommandError where it was deleted: read by what needs it only */
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
  around: Surroundings,
  out: Output,
): Context {
  const { env, stdin, signal } = around;
  const settings = new Settings(env);
  const option = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  const api = () => {
    // A variable that is set to nothing is none: so continuous integration hands over a secret that it does not have.
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
      // Cut off with … in a terminal, or with a line break inside.
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

/** Returns what to do about a key that the platform refuses. */
function invalidKey(command: Command, { HOSTING_KEY }: Surroundings['env']): string {
  if (HOSTING_KEY) return 'HOSTING_KEY is not valid (any more): unset or replace it.';
  if (command.name === 'login') return 'The key is not valid (any more).';
  return 'The key is not valid (any more). Run hosting login.';
}

/** Returns what to do where a proxy is set that Node does not use. */
function proxyAdvice({ HTTPS_PROXY, https_proxy, NODE_USE_ENV_PROXY }: Surroundings['env']): string {
  const isUnused = (HTTPS_PROXY || https_proxy) && NODE_USE_ENV_PROXY !== '1';
  return isUnused ? ' HTTPS_PROXY is used with NODE_USE_ENV_PROXY=1 only, by Node 22.21 or later.' : '';
}

/** Says what went wrong, and returns the exit code. */
function explain(error: unknown, command: Command, out: Output, { signal, env }: Surroundings): number {
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
  // A file that cannot be read or written: the message names it, and the reason.
  if (error instanceof Error && 'syscall' in error) {
    tell(error.message);
    return EXIT.failed;
  }
  throw error;
}

/** Shows all commands, or those of a group: as asked for, or because the words are no command. */
function showOverview(commands: readonly Command[], argv: readonly string[], out: Output): number {
  const word = argv.find((each) => !each.startsWith('-') && each !== 'help');
  if (word === undefined) {
    out.part(overview(commands));
    return EXIT.ok;
  }
  const isGroup = commands.some(({ name }) => name.startsWith(`${word} `));
  if (isGroup && ['help', '--help', '-h'].some((each) => argv.includes(each))) {
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
  around: Surroundings,
): Promise<number> {
  const color = around.isTerminal && !around.env.NO_COLOR;
  const { write, writeError } = around;
  const out = new Output({ write, writeError, json: argv.includes('--json'), color });
  const [first = ''] = argv;
  if (first === COMPLETE) {
    for (const each of candidates(commands, argv.slice(1))) out.line(each);
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
