import { rmSync } from 'node:fs';
import { fileOf, openCappedFile, readLines, timeOf } from './capped-file.ts';

/** Maximum output of a process per second, so that a flood of output fills neither the disk nor the memory. */
const MAX_CHARACTERS_PER_SECOND = 1024 * 1024;
/** Maximum length of a line in characters. Longer lines are split. CloudWatch's limit is four times as high. */
const MAX_LINE_LENGTH = 64 * 1024;

/**
 * Returns the path of a function's log file. A line consists of the time in milliseconds since the epoch, `/`, the version
 * that printed it, a space, and the text.
 */
const logOf = (dataDir: string, functionName: string) => fileOf(dataDir, functionName, 'log');

export interface AppLogWriter {
  /** Opens a stream with its own line buffer, so that lines of different streams do not mix. */
  stream(): (text: string) => void;
  end(): void;
}

export function openAppLog(
  dataDir: string,
  functionName: string,
  version: string,
  now: () => number = Date.now,
): AppLogWriter {
  const file = openCappedFile(logOf(dataDir, functionName));
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) file.append(lines.map((text) => `${now()}/${version} ${text}\n`).join(''));
  };

  let second = 0;
  let admitted = 0;
  let dropped = 0;
  const reportDropped = (): void => {
    if (dropped === 0) return;
    write([`[… ${(dropped / 1e6).toFixed(1)} MB dropped: output per second is limited …]`]);
    dropped = 0;
  };
  /** Returns the part of a text that the limit of the current second allows. */
  const admit = (text: string): string => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      reportDropped();
      [second, admitted] = [current, 0];
    }
    const part = text.slice(0, MAX_CHARACTERS_PER_SECOND - admitted);
    admitted += part.length;
    dropped += text.length - part.length;
    return part;
  };

  const flushes: (() => void)[] = [];
  return {
    stream() {
      let incompleteLine = '';
      const flush = (): void => {
        if (incompleteLine !== '') write([incompleteLine]);
        incompleteLine = '';
      };
      flushes.push(flush);
      return (text) => {
        const part = admit(text);
        const lines = (incompleteLine + part).split('\n');
        incompleteLine = lines.pop() ?? '';
        write(lines);
        if (incompleteLine.length >= MAX_LINE_LENGTH || part.length < text.length) flush();
      };
    },
    end() {
      for (const flush of flushes) flush();
      reportDropped();
      file.close();
    },
  };
}

export interface LoggedLine {
  timestamp: number;
  /** Position among the lines of the same millisecond, with a fixed number of digits, so that ids sort by time. */
  eventId: string;
  /** The version of the function that printed the line. */
  version: string;
  message: string;
}

/** Returns all lines of a function, oldest first. */
export function readAppLog(dataDir: string, functionName: string): LoggedLine[] {
  let [previous, position] = [0, 0];
  return readLines(logOf(dataDir, functionName)).map((line) => {
    const timestamp = timeOf(line);
    position = timestamp === previous ? position + 1 : 0;
    previous = timestamp;
    const head = line.slice(0, line.indexOf(' '));
    return {
      timestamp,
      eventId: String(position).padStart(20, '0'),
      version: head.split('/')[1] ?? '',
      message: line.slice(head.length + 1),
    };
  });
}

export const removeAppLog = (dataDir: string, functionName: string): void =>
  rmSync(logOf(dataDir, functionName), { force: true });
