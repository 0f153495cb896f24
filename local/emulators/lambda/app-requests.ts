import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Maximum size of a function's record of requests in bytes, about 300,000 of them. A larger one loses its older half. */
const MAX_BYTES = 10 * 1024 * 1024;

/** One request to a function URL, from which CloudWatch's metrics and Lambda's `REPORT` lines follow. */
export interface AppRequest {
  /** Time of its end, in milliseconds since the epoch. */
  at: number;
  /** HTTP status of the response. */
  status: number;
  /** Duration in the function, without its start, in milliseconds. */
  durationMs: number;
  /** Requests of the function that ran at once, this one included. */
  concurrent: number;
  /** Duration of the start in milliseconds where the request waited for one; otherwise zero. */
  initMs: number;
  /** Memory of the application's processes in megabytes. */
  memoryMb: number;
  /** True where the function had no concurrency left. */
  throttled: boolean;
}

const fileOf = (dataDir: string, functionName: string) => join(dataDir, 'logs', 'apps', `${functionName}.requests`);

const toLine = ({ at, status, durationMs, concurrent, initMs, memoryMb, throttled }: AppRequest): string =>
  `${[at, status, durationMs, concurrent, initMs, memoryMb, Number(throttled)].map(Math.round).join(' ')}\n`;

function toRequest(line: string): AppRequest {
  const [at = 0, status = 0, durationMs = 0, concurrent = 0, initMs = 0, memoryMb = 0, throttled = 0] = line
    .split(' ')
    .map(Number);
  return { at, status, durationMs, concurrent, initMs, memoryMb, throttled: throttled === 1 };
}

/** Returns a function that records a request, for all functions of a run. */
export function openAppRequests(dataDir: string) {
  const files = new Map<string, { descriptor: number; bytes: number }>();
  const open = (functionName: string) => {
    const file = fileOf(dataDir, functionName);
    mkdirSync(dirname(file), { recursive: true });
    const descriptor = openSync(file, 'a');
    const opened = { descriptor, bytes: fstatSync(descriptor).size };
    files.set(functionName, opened);
    return opened;
  };
  const close = (functionName: string): void => {
    const opened = files.get(functionName);
    if (opened) closeSync(opened.descriptor);
    files.delete(functionName);
  };
  return {
    record(functionName: string, request: AppRequest): void {
      const opened = files.get(functionName) ?? open(functionName);
      opened.bytes += writeSync(opened.descriptor, toLine(request));
      if (opened.bytes > MAX_BYTES) opened.bytes = halve(fileOf(dataDir, functionName));
    },
    remove(functionName: string): void {
      close(functionName);
      rmSync(fileOf(dataDir, functionName), { force: true });
    },
    close(): void {
      for (const name of [...files.keys()]) close(name);
    },
  };
}

/** Returns the bytes that are left. */
function halve(file: string): number {
  const lines = readFileSync(file, 'utf8').split('\n');
  const kept = lines.slice(Math.floor(lines.length / 2)).join('\n');
  writeFileSync(file, kept);
  return Buffer.byteLength(kept);
}

/** Returns the recorded requests of a function that ended in a span of time, oldest first. */
export function readAppRequests(dataDir: string, functionName: string, from: number, to: number): AppRequest[] {
  const file = fileOf(dataDir, functionName);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(toRequest)
    .filter(({ at }) => at >= from && at < to);
}
