import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Maximum size in bytes, about 300,000 requests. A larger file loses its older half. */
const MAX_BYTES = 10 * 1024 * 1024;

/** A file whose lines begin with their time in milliseconds since the epoch. */
export interface CappedFile {
  /** Adds whole lines. */
  append(text: string): void;
  close(): void;
}

/** Returns the path of a function's file. */
export const fileOf = (dataDir: string, functionName: string, kind: 'log' | 'requests'): string =>
  join(dataDir, 'logs', 'apps', `${functionName}.${kind}`);

export const timeOf = (line: string): number => Number.parseInt(line, 10);

export function openCappedFile(file: string): CappedFile {
  mkdirSync(dirname(file), { recursive: true });
  const out = openSync(file, 'a');
  return {
    append(text) {
      writeSync(out, text);
      // Others may have the file open as well.
      if (fstatSync(out).size > MAX_BYTES) halve(file);
    },
    close: () => closeSync(out),
  };
}

/** Removes the older half. Lines of the same millisecond stay together, because the ids of a log's lines count within it. */
function halve(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  let start = Math.floor(lines.length / 2);
  while (start < lines.length - 1 && timeOf(lines[start] ?? '') === timeOf(lines[start - 1] ?? '')) start += 1;
  // Written in place, so that other processes with the file open continue at its new end.
  writeFileSync(file, lines.slice(start).join('\n'));
}

/** Returns the whole lines of a file, oldest first; none where it is not there. */
export const readLines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
