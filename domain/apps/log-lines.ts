import { gunzipSync, gzipSync } from 'node:zlib';
import { truncate } from '../../contract/text.ts';
import type { AppLogLine } from '../../providers/app-host/logs.ts';

/** Positions in a run-time log, as text that sorts like the lines (LogPage in table/entities/apps.ts), and the stored form of lines. */

/** Maximum characters of a page's stored lines; an item of the table holds 400 KB. */
const MAX_CHARACTERS = 300_000;
/** Characters to which a line is truncated that is too long for a page. */
const MAX_LINE_CHARACTERS = 150_000;
const DIGITS = 15;

/** Returns the position before the first line of a millisecond. */
export const positionOfTime = (time: Date): string => String(time.getTime()).padStart(DIGITS, '0');

/** Returns the position of a line, given its id. */
export function positionOfLine(id: string): string {
  const dash = id.indexOf('-');
  return id.slice(0, dash).padStart(DIGITS, '0') + id.slice(dash);
}

/** Returns the range that follows a position, for `AppLogs.read`. */
export function rangeFrom(position: string): { after: string | undefined; since: Date } {
  const time = Number(position.slice(0, DIGITS));
  return { after: position.length > DIGITS ? time + position.slice(DIGITS) : undefined, since: new Date(time) };
}

const compress = (lines: readonly AppLogLine[]) => gzipSync(JSON.stringify(lines)).toString('base64');

/** Returns the stored form of lines, and the lines that it contains: all of them, or as many as fit. */
export function toText(lines: readonly AppLogLine[]): { text: string; kept: readonly AppLogLine[] } {
  const text = compress(lines);
  if (text.length <= MAX_CHARACTERS) return { text, kept: lines };
  if (lines.length > 1) return toText(lines.slice(0, Math.ceil(lines.length / 2)));
  const kept = lines.map((line) => ({
    ...line,
    text: `${truncate(line.text, MAX_LINE_CHARACTERS)} [… the rest is cut …]`,
  }));
  return { text: compress(kept), kept };
}

/** Parses stored lines. */
export const fromText = (text: string): AppLogLine[] =>
  (
    JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString('utf8')) as (Omit<AppLogLine, 'at'> & { at: string })[]
  ).map((line) => ({ ...line, at: new Date(line.at) }));
