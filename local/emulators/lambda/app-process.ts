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
  /** Returns the process's view of the disk. */
  sandbox(): Sandbox;
  environment: Record<string, string>;
  /** Opens the log for its output. */
  openLog(): AppLogWriter;
  /** Maximum duration of the first start until the application listens; then it is killed and started once more. */
  initMs: number;
  /** Maximum duration of the second start: the function's timeout. */
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
  /** Number of characters printed so far; a position for `outputSince`. */
  readonly printed: number;
  /** Memory of its processes in megabytes, measured once a second at most. */
  memoryMb(): number;
  /** Resolves when all output of before has arrived. */
  outputArrived(): Promise<void>;
  /** Returns the output after a position, limited to the last few kilobytes. */
  outputSince(position: number): string;
  /** Resolves with the reason of its end in Lambda's wording. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Number of characters of output that are kept; Lambda's log tail is 4 KB. */
const MAX_REMEMBERED_CHARACTERS = 8192;
/** Interval between two readiness checks in milliseconds, the same as the web adapter's. */
const POLL_MS = 10;

/**
 * Starts an application and waits until it accepts connections, as the Lambda Web Adapter does. Throws {@link
 * StartFailure}.
 */
export async function startApp(options: AppProcessOptions): Promise<AppProcess> {
  const first = await startOnce(options, options.initMs);
  if (typeof first !== 'string') return first;
  // Lambda restarts a function whose first start took too long, and the second start may take the function's whole
  // timeout.
  const second = await startOnce(options, options.timeoutMs);
  if (typeof second !== 'string') return second;
  const seconds = (options.timeoutMs / 1000).toFixed(2);
  throw new StartFailure('Sandbox.Timedout', `Task timed out after ${seconds} seconds`, second);
}

/** Starts the application once. Returns its output if it did not listen in time. */
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
    const keep = log.stream();
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text.length;
      output = (output + text).slice(-MAX_REMEMBERED_CHARACTERS);
      keep(text);
    });
  }
  let alive = true;
  let stopping = false;
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      alive = false;
      // Logged in Lambda's wording, for example when the process was killed for exceeding its memory.
      if (!stopping) log.stream()(`Error: ${how}\n`);
      log.end();
      sandbox.remove();
      resolve(how);
    };
    child.once('error', (error) => end(`Runtime could not be started: ${error.message}`));
    // The event 'close' instead of 'exit', because the last output has arrived by then.
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
    if (await isListening(port, environment)) {
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

/** Interval between two measurements of memory in milliseconds. */
const MEASURE_MS = 1000;

/** Returns a function that measures the resident memory of a process group. */
function memoryOf(group: number | undefined): () => number {
  let measured = { at: 0, megabytes: 0 };
  // One for each group, begun when its leader exists: a reader remembers whose a process id was, and ids are used again.
  const readProcesses = createGroupReader();
  return () => {
    if (Date.now() - measured.at >= MEASURE_MS) {
      const members = readProcesses((each) => each === group);
      const kilobytes = members.reduce((total, each) => total + each.kilobytes, 0);
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
async function isListening(port: number, environment: Record<string, string>): Promise<boolean> {
  const isAccepted = await new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => socket.end() && resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!isAccepted || environment.AWS_LWA_READINESS_CHECK_PROTOCOL === 'tcp') return isAccepted;
  const path = environment.AWS_LWA_READINESS_CHECK_PATH ?? '/';
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(1000),
    });
    await answer.body?.cancel();
    return answer.status < 500;
  } catch {
    return false;
  }
}
