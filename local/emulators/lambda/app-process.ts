import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Children } from '../../processes/children.ts';
import { createGroupReader } from '../../processes/memory.ts';
import { freePort } from '../../processes/ports.ts';
import type { AppLogWriter } from './app-log.ts';
import type { Sandbox } from './sandbox.ts';

/** Settings of an application process. Times in milliseconds. */
export interface AppProcessOptions {
  children: Children;
  label: string;
  directory: string;
  /** Creates the process's view of the disk. */
  sandbox(): Sandbox;
  environment: Record<string, string>;
  /** Opens the log for its output. */
  openLog(): AppLogWriter;
  /** Time within which the application must listen after its first start. Otherwise it is killed and started a second time. */
  initMs: number;
  /** Time within which the application must listen after its second start: the function's timeout. */
  timeoutMs: number;
  /** Memory limit in MiB: the function's setting. */
  memoryMb: number;
}

/** Thrown when an application does not start to listen. */
export class StartFailure extends Error {
  /** Lambda's error type: `Runtime.ExitError` or `Sandbox.Timedout`. */
  readonly type: string;
  /** The application's output. */
  readonly output: string;
  constructor(type: string, message: string, output: string) {
    super(message);
    this.type = type;
    this.output = output;
  }
}

/** A running application that listens on its port. */
export interface AppProcess {
  readonly port: number;
  /** Keeps connections to the application alive. */
  readonly agent: Agent;
  readonly alive: boolean;
  /** Number of characters printed so far: a position for `outputSince`. */
  readonly printed: number;
  /** Returns the memory of the application's processes in megabytes, measured at most once a second. */
  memoryMb(): number;
  /** Resolves when all output that was printed before the call has arrived. */
  outputArrived(): Promise<void>;
  /** Returns the output after a position, limited to the last {@link MAX_REMEMBERED_CHARACTERS}. */
  outputSince(position: number): string;
  /** Resolves when the application has ended, with the reason in Lambda's wording. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Characters of output that remain in memory. Lambda's log tail is 4 KB. */
const MAX_REMEMBERED_CHARACTERS = 8192;
/** Interval of the readiness checks: the web adapter's. */
const POLL_MS = 10;

/**
 * Starts an application and waits until it accepts connections, as the Lambda Web Adapter does. Throws {@link
 * StartFailure}.
 */
export async function startApp(options: AppProcessOptions): Promise<AppProcess> {
  const first = await startOnce(options, options.initMs);
  if (typeof first !== 'string') return first;
  // Lambda restarts a function whose first start takes too long. The second start may take the function's whole timeout.
  const second = await startOnce(options, options.timeoutMs);
  if (typeof second !== 'string') return second;
  const seconds = (options.timeoutMs / 1000).toFixed(2);
  throw new StartFailure('Sandbox.Timedout', `Task timed out after ${seconds} seconds`, second);
}

/** Starts the application once. Returns its output if it does not listen in time. */
async function startOnce(options: AppProcessOptions, waitMs: number): Promise<AppProcess | string> {
  const { children, label, directory, environment, memoryMb } = options;
  const port = await freePort();
  const sandbox = options.sandbox();
  const child = children.spawn(sandbox.command, sandbox.args, {
    label,
    cwd: directory,
    env: { ...environment, ...sandbox.environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    memoryMb,
  });
  const log = options.openLog();
  let output = '';
  let printed = 0;
  for (const stream of [child.stdout, child.stderr]) {
    const writeToLog = log.stream();
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text.length;
      output = (output + text).slice(-MAX_REMEMBERED_CHARACTERS);
      writeToLog(text);
    });
  }
  let alive = true;
  let stopping = false;
  const ended = new Promise<string>((resolve) => {
    const end = (reason: string): void => {
      alive = false;
      // Logged in Lambda's wording, for example if the process was killed because it exceeded its memory.
      if (!stopping) log.stream()(`Error: ${reason}\n`);
      log.end();
      sandbox.remove();
      resolve(reason);
    };
    child.once('error', (error) => end(`Runtime could not be started: ${error.message}`));
    // 'close' instead of 'exit', because all output has arrived by then.
    child.once('close', (code, signal) => end(exitMessage(code, signal)));
  });
  const agent = new Agent({ keepAlive: true });
  const stop = async (): Promise<void> => {
    stopping = true;
    agent.destroy();
    await children.end(child);
    await ended;
  };

  const deadline = Date.now() + waitMs;
  while (alive && Date.now() < deadline) {
    if (await isReady(port, environment)) {
      return {
        port,
        agent,
        ended,
        stop,
        get alive() {
          return alive;
        },
        get printed() {
          return printed;
        },
        outputArrived: children.outputArrived,
        memoryMb: memoryOf(child.pid),
        outputSince: (position) => (printed > position ? output.slice(-(printed - position)) : ''),
      };
    }
    await Promise.race([sleep(POLL_MS), ended]);
  }
  if (!alive) throw new StartFailure('Runtime.ExitError', await ended, output);
  await stop();
  return output;
}

/** Minimum interval between two measurements of memory. */
const MEASURE_MS = 1000;

/** Returns a function that measures the resident memory of a process group. */
function memoryOf(group: number | undefined): () => number {
  let measured = { at: 0, megabytes: 0 };
  // One reader per group, created when the group's leader exists: a reader remembers the group of each process id, and the system
  // reuses process ids.
  const readProcesses = createGroupReader();
  return () => {
    if (Date.now() - measured.at >= MEASURE_MS) {
      const members = readProcesses((candidate) => candidate === group);
      const kilobytes = members.reduce((total, member) => total + member.kilobytes, 0);
      measured = { at: Date.now(), megabytes: Math.round(kilobytes / 1024) };
    }
    return measured.megabytes;
  };
}

function exitMessage(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return `Runtime exited with error: signal: ${signal === 'SIGKILL' ? 'killed' : signal}`;
  return code === 0 ? 'Runtime exited without providing a reason' : `Runtime exited with error: exit status ${code}`;
}

/**
 * Returns true if the application is ready by the Lambda Web Adapter's settings: any response below 500, or an accepted
 * connection.
 */
async function isReady(port: number, environment: Record<string, string>): Promise<boolean> {
  const isAccepted = await new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => socket.end() && resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!isAccepted || environment.AWS_LWA_READINESS_CHECK_PROTOCOL === 'tcp') return isAccepted;
  const path = environment.AWS_LWA_READINESS_CHECK_PATH ?? '/';
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(1000),
    });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}
