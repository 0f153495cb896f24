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

/** Default maximum size: about 300,000 requests. */
const MAX_BYTES = 10 * 1024 * 1024;

/** A file that loses its older half when it exceeds its maximum size. */
export interface CappedFile {
  /** File descriptor, for threads that append lines themselves. */
  descriptor: number;
  /** Appends whole lines. Drops them if that fails, and logs the first failure: a full disk must not end the local run. */
  append(text: string): void;
  /** Applies the maximum size after others have appended lines. */
  limit(): void;
  close(): void;
}

/** Returns the path of a function's file. */
export const fileOf = (dataDir: string, functionName: string, kind: 'log' | 'requests'): string =>
  join(dataDir, 'logs', 'apps', `${functionName}.${kind}`);

/** Returns the time at the beginning of a line, in milliseconds since the epoch. */
export const timeOf = (line: string): number => Number.parseInt(line, 10);

/** Opens a file. Creates it and its directory if necessary. */
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
      // Reads the current size, because others may append to the file too.
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
 * Keeps the last lines of a file, at most the given number of bytes, and removes the others. Does not separate lines of the same
 * millisecond, because the id of a line is its position within the millisecond.
 */
function keepEnd(file: string, bytes: number): void {
  const lines = readEnd(file, bytes).split('\n');
  // The first line is incomplete. The second may belong to the same millisecond, so both are dropped.
  let start = Math.min(2, lines.length - 1);
  while (start < lines.length - 1 && timeOf(lines[start] ?? '') === timeOf(lines[start - 1] ?? '')) start += 1;
  // Written in place, so that others with the file open continue at its new end.
  writeFileSync(file, lines.slice(start).join('\n'));
}

/** Reads the last bytes of a file. Never reads the whole file: that of an earlier version may exceed the maximum length of a string. */
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

/** Returns the complete lines of a file, oldest first; none if the file does not exist. */
export const readLines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
