import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redactor } from '../../providers/builds/redaction.ts';
import { BuildFailure } from '../failure.ts';
import { endProcesses } from './build-user.ts';
import { startChild, type User } from './child.ts';

export interface CommandContext {
  environment: Record<string, string>;
  directory: string;
  user?: User | undefined;
  redactor: Redactor;
  /** Receives the command's output, already redacted. */
  output(text: string): void;
  /** Aborts when the build exceeds a limit, with the failure as its reason. */
  limit: AbortSignal;
}

/**
 * Time in milliseconds for which the output may stay open after a command has ended. A background process could hold the pipe open
 * indefinitely.
 */
const LINGER_MS = 500;

/**
 * Runs a command and returns its exit code. A signal counts as 128 plus its number, as in a shell. If the limit aborts, throws its reason.
 */
export async function run(command: string, args: readonly string[], context: CommandContext): Promise<number> {
  const { environment, directory, user, redactor, output, limit } = context;
  limit.throwIfAborted();
  const child = startChild(command, args, { environment, directory, stdio: ['ignore', 'pipe', 'pipe'], user });
  const kill = () => child.kill('SIGKILL');
  limit.addEventListener('abort', kill, { once: true });
  const streams = [child.stdout, child.stderr].map((stream) => {
    const redacted = redactor.stream();
    stream?.setEncoding('utf8').on('data', (text: string) => output(redacted.write(text)));
    return redacted;
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status, signal) => resolve(status ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  limit.removeEventListener('abort', kill);
  if (user) {
    await endProcesses(user).catch(() => {
      throw new BuildFailure(`The command left processes running that could not be ended: ${command}.`);
    });
  }
  const lingering = new AbortController();
  await Promise.race([closed, sleep(LINGER_MS, undefined, { signal: lingering.signal }).catch(() => {})]);
  lingering.abort();
  for (const redacted of streams) output(redacted.end());
  limit.throwIfAborted();
  return code;
}

const KILLED = 128 + constants.signals.SIGKILL;

/** Describes an exit code within an error message. @param output the end of the command's output, if known */
export function describeExit(code: number, output: string): string {
  if (code === KILLED)
    return `exit code ${code}: the process was killed, usually because it used more memory than a build has`;
  if (HEAP_EXHAUSTED.test(output)) {
    return `exit code ${code}: Node ran out of memory; a variable NODE_OPTIONS=--max-old-space-size=4096 gives it more`;
  }
  if (CHILD_KILLED.test(output)) {
    return `exit code ${code}: one of its processes was killed, usually because it used more memory than a build has`;
  }
  return `exit code ${code}`;
}

const HEAP_EXHAUSTED = /JavaScript heap out of memory/;
/** Messages of shells and package managers about a killed child. */
const CHILD_KILLED = /^(?:\S+: line \d+: +\d+ )?Killed\b|signal SIGKILL|exit code 137/m;
/** Characters of the end of a command's output that are kept to explain a failure. */
const MAX_TAIL_CHARACTERS = 16 * 1024;

/** Returns a context that keeps the end of the output, and a function that returns it. */
export function withTail(context: CommandContext): { context: CommandContext; tail(): string } {
  let kept = '';
  const output = (text: string): void => {
    kept = (kept + text).slice(-MAX_TAIL_CHARACTERS);
    context.output(text);
  };
  return { context: { ...context, output }, tail: () => kept };
}

/** Matches the variables of the builder's environment that commands may have: network access, npm's settings and the locale. */
const PASSED_VARIABLES =
  /^(PATH|USER|LOGNAME|HOME|SHELL|TMPDIR|LANG|LC_\w+|TZ|(https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|npm_config_.+)$/i;
const GIT = /^GIT_(ALLOW_PROTOCOL|CONFIG_(COUNT|(KEY|VALUE)_\d+))$/;

const pick = (source: NodeJS.ProcessEnv, ...patterns: RegExp[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(source).filter((entry): entry is [string, string] =>
      patterns.some((pattern) => pattern.test(entry[0])),
    ),
  );

/** Returns the environment of the application's commands: the application's variables, without the platform's credentials. */
export function commandEnvironment(
  builderEnvironment: NodeJS.ProcessEnv,
  variables: Record<string, string>,
  user?: User,
) {
  return {
    CI: 'true',
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    // Disables npm's audit, funding messages and update check, which only cost time.
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    ...variables,
    ...pick(builderEnvironment, PASSED_VARIABLES),
    ...(user ? { HOME: user.home, USER: 'build', LOGNAME: 'build' } : {}),
  };
}

/**
 * Returns the environment of Git. It disables prompts, restricts protocols, and disables SSH until SSH access is set up.
 */
export const gitEnvironment = (builderEnvironment: NodeJS.ProcessEnv): Record<string, string> => ({
  GIT_ALLOW_PROTOCOL: 'https:ssh',
  ...pick(builderEnvironment, PASSED_VARIABLES, GIT),
  GIT_TERMINAL_PROMPT: '0',
  GIT_SSH_COMMAND: 'false',
  // Prevents Git from fetching LFS files; refusePointers (builder/clone/repository.ts) then refuses the repository.
  GIT_LFS_SKIP_SMUDGE: '1',
  LC_ALL: 'C',
});
