import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A function's log is begun anew beyond this, in bytes. */
const LONGEST = 10 * 1024 * 1024;

/** Where the lines of a function are, one a line: the time in milliseconds since the epoch, a space, the text. */
const fileOf = (dataDir: string, functionName: string) => join(dataDir, 'logs', 'apps', `${functionName}.log`);

export interface AppLogWriter {
  /** Something that writes its own lines: two of them do not get into each other's. */
  stream(): (text: string) => void;
  end(): void;
}

export function openAppLog(dataDir: string, functionName: string): AppLogWriter {
  const file = fileOf(dataDir, functionName);
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LONGEST) truncateSync(file);
  mkdirSync(dirname(file), { recursive: true });
  const out = createWriteStream(file, { flags: 'a' });
  const flushes: (() => void)[] = [];
  const line = (text: string): void => {
    out.write(`${Date.now()} ${text}\n`);
  };
  return {
    stream() {
      let rest = '';
      flushes.push(() => {
        if (rest !== '') line(rest);
        rest = '';
      });
      return (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(line);
      };
    },
    end() {
      for (const flush of flushes) flush();
      out.end();
    },
  };
}

export interface LoggedLine {
  timestamp: number;
  /** Its place, so that later lines have greater ones; as many digits always. */
  eventId: string;
  message: string;
}

/** All lines of a function, the oldest first. */
export function readAppLog(dataDir: string, functionName: string): LoggedLine[] {
  const file = fileOf(dataDir, functionName);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      const space = line.indexOf(' ');
      const [timestamp, message] = [Number(line.slice(0, space)), line.slice(space + 1)];
      return { timestamp, eventId: String(index).padStart(20, '0'), message };
    });
}

export const removeAppLog = (dataDir: string, functionName: string): void =>
  rmSync(fileOf(dataDir, functionName), { force: true });
