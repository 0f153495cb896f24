import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redactor } from '../log/redaction.ts';
import { endProcesses, type User } from './build-user.ts';

export interface CommandContext {
  environment: Record<string, string>;
  directory: string;
  user?: User | undefined;
  redactor: Redactor;
  /** Receives what the command prints, already redacted. */
  output(text: string): void;
  /** Aborts when the build has taken too much, with the failure as its reason. */
  limit: AbortSignal;
}

/** What is waited for output after a command ended: something that it left behind may hold the pipe open for ever. */
const LINGER_MS = 500;

/** Runs a command to its end and returns its exit code. A signal counts as 128 and more, as in a shell. Throws what the limit says. */
export async function run(command: string, args: readonly string[], context: CommandContext): Promise<number> {
  const { environment, directory, user, redactor, output, limit } = context;
  limit.throwIfAborted();
  const child = spawn(command, args, {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user ? { uid: user.uid, gid: user.gid } : {}),
  });
  const kill = () => child.kill('SIGKILL');
  limit.addEventListener('abort', kill, { once: true });
  const streams = [child.stdout, child.stderr].map((stream) => {
    const shown = redactor.stream();
    stream.setEncoding('utf8').on('data', (text: string) => output(shown.write(text)));
    return shown;
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status, signal) => resolve(status ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  limit.removeEventListener('abort', kill);
  if (user) endProcesses(user);
  const lingering = new AbortController();
  await Promise.race([closed, sleep(LINGER_MS, undefined, { signal: lingering.signal }).catch(() => {})]);
  lingering.abort();
  for (const shown of streams) output(shown.end());
  limit.throwIfAborted();
  return code;
}

const KILLED = 128 + constants.signals.SIGKILL;

/** An exit code in the words of a failure. */
export const exitOf = (code: number): string =>
  code === KILLED
    ? `exit code ${code}: something killed it, mostly because it took more memory than a build has`
    : `exit code ${code}`;

/** Of our own environment, what others may see: how to reach the network, npm's settings and the locale. */
const PASSED_ON =
  /^(PATH|USER|LOGNAME|HOME|SHELL|TMPDIR|LANG|LC_\w+|TZ|(https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|npm_config_.+)$/i;
const GIT = /^GIT_(ALLOW_PROTOCOL|CONFIG_(COUNT|(KEY|VALUE)_\d+))$/;

const pick = (source: NodeJS.ProcessEnv, ...patterns: RegExp[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(source).filter((entry): entry is [string, string] => patterns.some((each) => each.test(entry[0]))),
  );

/** The environment of the application's own commands: its variables, and nothing of the platform's. */
export function commandEnvironment(own: NodeJS.ProcessEnv, variables: Record<string, string>, user?: User) {
  return {
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    // Calls to the registry that change nothing, and texts that nobody asked for.
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    ...variables,
    ...pick(own, PASSED_ON),
    CI: 'true',
    ...(user ? { HOME: user.home, USER: 'build', LOGNAME: 'build' } : {}),
  };
}

/** The environment of git: it asks nobody, reads only from where it is told, and speaks SSH with nobody unless told how. */
export const gitEnvironment = (own: NodeJS.ProcessEnv): Record<string, string> => ({
  GIT_ALLOW_PROTOCOL: 'https:ssh',
  ...pick(own, PASSED_ON, GIT),
  GIT_TERMINAL_PROMPT: '0',
  GIT_SSH_COMMAND: 'false',
  // Whether or not the machine has it: what is kept there is refused (repository.ts).
  GIT_LFS_SKIP_SMUDGE: '1',
  LC_ALL: 'C',
});
