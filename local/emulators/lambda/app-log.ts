import { rmSync } from 'node:fs';
import { fileOf, openCappedFile, readLines, timeOf } from './capped-file.ts';

/** Maximum output of one process per second in characters, so that a flood fills neither disk nor memory. */
const MAX_CHARACTERS_PER_SECOND = 1024 * 1024;
/** Maximum length of a line in characters; a longer one is split. CloudWatch's limit is four times as much. */
const MAX_LINE_LENGTH = 64 * 1024;

/**
 * Returns the log file of a function. A line of it is the time in milliseconds since the epoch, `/`, the version that
 * printed it, a space, and the text.
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
  let kept = 0;
  let dropped = 0;
  const reportDropped = (): void => {
    if (dropped === 0) return;
    write([`[… ${(dropped / 1e6).toFixed(1)} MB dropped: output per second is limited …]`]);
    dropped = 0;
  };
  /** Returns as much of a text as this second's limit allows. */
  const admit = (text: string): string => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      reportDropped();
      [second, kept] = [current, 0];
    }
    const admitted = text.slice(0, MAX_CHARACTERS_PER_SECOND - kept);
    kept += admitted.length;
    dropped += text.length - admitted.length;
    return admitted;
  };

  const flushes: (() => void)[] = [];
  return {
    stream() {
      let rest = '';
      const flush = (): void => {
        if (rest !== '') write([rest]);
        rest = '';
      };
      flushes.push(flush);
      return (text) => {
        const admitted = admit(text);
        const lines = (rest + admitted).split('\n');
        rest = lines.pop() ?? '';
        write(lines);
        if (rest.length >= MAX_LINE_LENGTH || admitted.length < text.length) flush();
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
  /** Position among the lines of the same millisecond, with a fixed number of digits, so that ids sort by age. */
  eventId: string;
  /** The version of the function that printed it. */
  version: string;
  message: string;
}

/** Returns all lines of a function, oldest first. */
export function readAppLog(dataDir: string, functionName: string): LoggedLine[] {
  let [last, place] = [0, 0];
  return readLines(logOf(dataDir, functionName)).map((line) => {
    const timestamp = timeOf(line);
    place = timestamp === last ? place + 1 : 0;
    last = timestamp;
    const head = line.slice(0, line.indexOf(' '));
    return {
      timestamp,
      eventId: String(place).padStart(20, '0'),
      version: head.split('/')[1] ?? '',
      message: line.slice(head.length + 1),
    };
  });
}

export const removeAppLog = (dataDir: string, functionName: string): void =>
  rmSync(logOf(dataDir, functionName), { force: true });
