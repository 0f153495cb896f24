import { rmSync } from 'node:fs';
import { type CappedFile, fileOf, openCappedFile, readLines } from './capped-file.ts';

/** One request to a function URL. The emulators derive CloudWatch's metrics and Lambda's `REPORT` lines from it. */
export interface AppRequest {
  /** Time at which the request ended, in milliseconds since the epoch. */
  at: number;
  /** HTTP status of the response. */
  status: number;
  /** Duration of the function in milliseconds, without its start. */
  durationMs: number;
  /** Number of concurrent requests of the function, including this one. */
  concurrent: number;
  /** Duration of the start for which the request waited, in milliseconds; otherwise zero. */
  initMs: number;
  /** Memory of the application's processes in megabytes. */
  memoryMb: number;
  /** True if the function's concurrency was used up. */
  throttled: boolean;
}

const requestsOf = (dataDir: string, functionName: string) => fileOf(dataDir, functionName, 'requests');

const toLine = ({ at, status, durationMs, concurrent, initMs, memoryMb, throttled }: AppRequest): string =>
  `${[at, status, durationMs, concurrent, initMs, memoryMb, Number(throttled)].map(Math.round).join(' ')}\n`;

function toRequest(line: string): AppRequest {
  const [at = 0, status = 0, durationMs = 0, concurrent = 0, initMs = 0, memoryMb = 0, throttled = 0] = line
    .split(' ')
    .map(Number);
  return { at, status, durationMs, concurrent, initMs, memoryMb, throttled: throttled === 1 };
}

/** Opens the records of requests of all functions. */
export function openAppRequests(dataDir: string) {
  const files = new Map<string, CappedFile>();
  const close = (functionName: string): void => {
    files.get(functionName)?.close();
    files.delete(functionName);
  };
  return {
    record(functionName: string, request: AppRequest): void {
      const file = files.get(functionName) ?? openCappedFile(requestsOf(dataDir, functionName));
      files.set(functionName, file);
      file.append(toLine(request));
    },
    remove(functionName: string): void {
      close(functionName);
      rmSync(requestsOf(dataDir, functionName), { force: true });
    },
    close(): void {
      for (const name of [...files.keys()]) close(name);
    },
  };
}

/** Returns the recorded requests of a function that ended in a time range in epoch milliseconds (`to` exclusive), oldest first. */
export function readAppRequests(dataDir: string, functionName: string, from: number, to: number): AppRequest[] {
  return readLines(requestsOf(dataDir, functionName))
    .map(toRequest)
    .filter(({ at }) => at >= from && at < to);
}
