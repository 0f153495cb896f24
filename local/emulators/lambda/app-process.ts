import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Children } from '../../processes/children.ts';
import { freePort } from '../../processes/ports.ts';
import type { AppLogWriter } from './app-log.ts';

/** How an application is run. Times in milliseconds. */
export interface AppProcessOptions {
  children: Children;
  label: string;
  /** The script that starts it, in `directory`. */
  handler: string;
  directory: string;
  environment: Record<string, string>;
  /** Opens what keeps its output. */
  openLog(): AppLogWriter;
  /** Longest first wait until it listens; then it is killed and started once more. */
  initMs: number;
  /** Longest second wait: the function's own timeout. */
  timeoutMs: number;
  /** What it may have in memory, in megabytes: the function's own setting. */
  memoryMb: number;
}

/** The application did not come to listen. */
export class StartFailure extends Error {
  /** `Runtime.ExitError` or `Sandbox.Timedout`, as Lambda calls them. */
  readonly type: string;
  /** What it printed. */
  readonly output: string;
  constructor(type: string, message: string, output: string) {
    super(message);
    this.type = type;
    this.output = output;
  }
}

/** An application that listens on its port. */
export interface AppProcess {
  readonly port: number;
  /** Keeps connections to it. */
  readonly agent: Agent;
  readonly alive: boolean;
  /** All that it printed so far, in characters; a place to ask `outputSince` from. */
  readonly printed: number;
  /** What it printed after a place, as far as the last few kilobytes go. */
  outputSince(place: number): string;
  /** How it ended, in Lambda's words. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Output that is remembered, in characters; Lambda's log tail is 4 KB. */
const REMEMBERED = 8192;
/** Between two looks whether it listens: the web adapter looks as often. */
const LOOK_MS = 10;

/** Starts an application and waits until it accepts connections, as the Lambda Web Adapter does. Throws {@link StartFailure}. */
export async function startApp(options: AppProcessOptions): Promise<AppProcess> {
  const first = await attempt(options, options.initMs);
  if (typeof first !== 'string') return first;
  // Lambda starts a function anew whose start took too long, and gives that the function's whole timeout.
  const second = await attempt(options, options.timeoutMs);
  if (typeof second !== 'string') return second;
  const seconds = (options.timeoutMs / 1000).toFixed(2);
  throw new StartFailure('Sandbox.Timedout', `Task timed out after ${seconds} seconds`, second);
}

/** One start; what it printed, when it did not come to listen in time. */
async function attempt(options: AppProcessOptions, patience: number): Promise<AppProcess | string> {
  const { children, label, handler, directory, environment, memoryMb } = options;
  const port = await freePort();
  const child = children.spawn('sh', [handler], {
    label,
    cwd: directory,
    env: { ...environment, PORT: String(port) },
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
      output = (output + text).slice(-REMEMBERED);
      keep(text);
    });
  }
  let alive = true;
  let stopping = false;
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      alive = false;
      // As Lambda tells it, and nobody else would: that it was killed for its memory, say.
      if (!stopping) log.stream()(`Error: ${how}\n`);
      log.end();
      resolve(how);
    };
    child.once('error', (error) => end(`Runtime could not be started: ${error.message}`));
    // Not 'exit': what it printed last must have come in.
    child.once('close', (code, signal) => end(exitMessage(code, signal)));
  });
  const agent = new Agent({ keepAlive: true });
  const stop = async (): Promise<void> => {
    stopping = true;
    agent.destroy();
    await children.end(child);
    await ended;
  };

  const deadline = Date.now() + patience;
  while (alive && Date.now() < deadline) {
    if (await listens(port, environment)) {
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
        outputSince: (place) => (printed > place ? output.slice(-(printed - place)) : ''),
      };
    }
    await Promise.race([sleep(LOOK_MS), ended]);
  }
  if (!alive) throw new StartFailure('Runtime.ExitError', await ended, output);
  await stop();
  return output;
}

function exitMessage(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return `Runtime exited with error: signal: ${signal === 'SIGKILL' ? 'killed' : signal}`;
  return code === 0 ? 'Runtime exited without providing a reason' : `Runtime exited with error: exit status ${code}`;
}

/** Whether it is ready, by the settings of the Lambda Web Adapter: any answer below 500, or an accepted connection. */
async function listens(port: number, environment: Record<string, string>): Promise<boolean> {
  const accepted = await new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => socket.end() && resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!accepted || environment.AWS_LWA_READINESS_CHECK_PROTOCOL === 'tcp') return accepted;
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
