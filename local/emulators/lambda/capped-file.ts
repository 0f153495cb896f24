import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Default maximum size in bytes, about 300,000 requests. */
const MAX_BYTES = 10 * 1024 * 1024;

/** A file that loses its older half when it exceeds its maximum size. */
export interface CappedFile {
  /** File descriptor, for threads that add lines of their own. */
  descriptor: number;
  /** Adds whole lines. A failure is reported once and loses them: a log on a full disk ends no run. */
  append(text: string): void;
  /** Applies the maximum size to what others have added. */
  limit(): void;
  close(): void;
}

/** Returns the path of a function's file. */
export const fileOf = (dataDir: string, functionName: string, kind: 'log' | 'requests'): string =>
  join(dataDir, 'logs', 'apps', `${functionName}.${kind}`);

/** Returns the milliseconds since the epoch with which a line of an application's file begins. */
export const timeOf = (line: string): number => Number.parseInt(line, 10);

/** Opens a file, and creates it with its directory. */
export function openCappedFile(file: string, maxBytes = MAX_BYTES): CappedFile {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'a');
  let isReported = false;
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      if (!isReported) console.error(error);
      isReported = true;
    }
  };
  const limit = (): void =>
    attempt(() => {
      // Others may have the file open as well.
      if (fstatSync(descriptor).size > maxBytes) keepEnd(file, maxBytes / 2);
    });
  limit();
  return {
    descriptor,
    append(text) {
      attempt(() => writeSync(descriptor, text));
      limit();
    },
    limit,
    close: () => closeSync(descriptor),
  };
}

/**
 * Removes all but the last lines, about as many bytes. Lines of the same millisecond stay together, because the ids of a log's lines
 * count within it.
 */
function keepEnd(file: string, bytes: number): void {
  const lines = readEnd(file, bytes).split('\n');
  // The first line is cut off, so that whether the second belongs to it is unknown.
  let start = Math.min(2, lines.length - 1);
  while (start < lines.length - 1 && timeOf(lines[start] ?? '') === timeOf(lines[start - 1] ?? '')) start += 1;
  // Written in place, so that others with the file open continue at its new end.
  writeFileSync(file, lines.slice(start).join('\n'));
}

/** Reads no more than that: the file of an earlier version may be longer than a string. */
function readEnd(file: string, bytes: number): string {
  const input = openSync(file, 'r');
  try {
    const end = Buffer.alloc(bytes);
    const read = readSync(input, end, 0, bytes, Math.max(0, fstatSync(input).size - bytes));
    return end.toString('utf8', 0, read);
  } finally {
    closeSync(input);
  }
}

/** Returns the whole lines of a file, oldest first; none where it is not there. */
export const readLines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
