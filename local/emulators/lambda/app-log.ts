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

/** Beyond this a function's log loses its older half, in bytes. */
const LONGEST = 10 * 1024 * 1024;
/** What is kept of what one process prints in a second, in characters: a flood fills neither disk nor memory. */
const A_SECOND = 1024 * 1024;
/** A line that does not end is ended here; CloudWatch's own limit is four times as much. */
const LONGEST_LINE = 64 * 1024;

/** Where the lines of a function are, one a line: the time in milliseconds since the epoch, a space, the text. */
const fileOf = (dataDir: string, functionName: string) => join(dataDir, 'logs', 'apps', `${functionName}.log`);
const timeOf = (line: string) => Number(line.slice(0, line.indexOf(' ')));

export interface AppLogWriter {
  /** Something that writes its own lines: two of them do not get into each other's. */
  stream(): (text: string) => void;
  end(): void;
}

export function openAppLog(dataDir: string, functionName: string, now: () => number = Date.now): AppLogWriter {
  const file = fileOf(dataDir, functionName);
  mkdirSync(dirname(file), { recursive: true });
  const out = openSync(file, 'a');
  const write = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    writeSync(out, lines.map((text) => `${now()} ${text}\n`).join(''));
    if (fstatSync(out).size > LONGEST) halve(file);
  };

  let second = 0;
  let kept = 0;
  let leftOut = 0;
  const tellLeftOut = (): void => {
    if (leftOut === 0) return;
    write([`[… ${(leftOut / 1e6).toFixed(1)} MB were left out: more was printed in a second than is kept …]`]);
    leftOut = 0;
  };
  /** As much of a text as this second has room for. */
  const admit = (text: string): string => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      tellLeftOut();
      [second, kept] = [current, 0];
    }
    const admitted = text.slice(0, A_SECOND - kept);
    kept += admitted.length;
    leftOut += text.length - admitted.length;
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
        if (rest.length >= LONGEST_LINE || admitted.length < text.length) flush();
      };
    },
    end() {
      for (const flush of flushes) flush();
      tellLeftOut();
      closeSync(out);
    },
  };
}

/** Takes out the older half. What was printed in one millisecond stays together: ids count within it. */
function halve(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  let start = Math.floor(lines.length / 2);
  while (start < lines.length - 1 && timeOf(lines[start] ?? '') === timeOf(lines[start - 1] ?? '')) start += 1;
  // In place: whoever else has it open goes on at its new end.
  writeFileSync(file, lines.slice(start).join('\n'));
}

export interface LoggedLine {
  timestamp: number;
  /** Its place among the lines of the same millisecond, so that later ones have greater ones; as many digits always. */
  eventId: string;
  message: string;
}

/** All lines of a function, the oldest first. */
export function readAppLog(dataDir: string, functionName: string): LoggedLine[] {
  const file = fileOf(dataDir, functionName);
  if (!existsSync(file)) return [];
  let [last, place] = [0, 0];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const timestamp = timeOf(line);
      place = timestamp === last ? place + 1 : 0;
      last = timestamp;
      return { timestamp, eventId: String(place).padStart(20, '0'), message: line.slice(line.indexOf(' ') + 1) };
    });
}

export const removeAppLog = (dataDir: string, functionName: string): void =>
  rmSync(fileOf(dataDir, functionName), { force: true });
