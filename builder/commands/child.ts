import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';

/** A user that runs commands instead of the builder's own user. */
export interface User {
  uid: number;
  gid: number;
  home: string;
}

/** Options of a child process. The environment is required, because Node would otherwise pass on the builder's environment. */
export interface ChildOptions {
  /** The child's whole environment. */
  environment: Readonly<Record<string, string>>;
  stdio: SpawnOptions['stdio'];
  directory?: string;
  /** Runs the child as another user, without supplementary groups. */
  user?: User | undefined;
}

const optionsOf = ({ environment, stdio, directory, user }: ChildOptions): SpawnOptions => ({
  env: { ...environment },
  ...(stdio === undefined ? {} : { stdio }),
  ...(directory === undefined ? {} : { cwd: directory }),
  ...(user ? { uid: user.uid, gid: user.gid } : {}),
});

/** Starts a process. All child processes of the builder start here or in {@link runTool}. */
export const startChild = (command: string, args: readonly string[], options: ChildOptions): ChildProcess =>
  spawn(command, args, optionsOf(options));

/** Returns the environment of system tools: the PATH, and untranslated messages. */
export const toolEnvironment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
});

/** Runs a system tool to its end and returns its output. Throws if it fails. */
export function runTool(command: string, args: readonly string[], options: Partial<ChildOptions> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...optionsOf({ environment: toolEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], ...options }),
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} exited with ${status}: ${stderr.slice(0, 500)}`);
  return stdout;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs a system tool and returns its output, even if it fails. Throws if the output exceeds `maxBytes`. */
export async function readTool(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  maxBytes: number,
  user?: User,
): Promise<{ status: number | null; stdout: string }> {
  const child = startChild(command, args, { environment, stdio: ['ignore', 'pipe', 'ignore'], user });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Prevents an unhandled rejection: `ended` is awaited only after the output has been read.
  ended.catch(() => {});
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of child.stdout ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      child.kill('SIGKILL');
      throw new Error(`${command} printed more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return { status: await ended, stdout: Buffer.concat(chunks).toString('utf8') };
}
