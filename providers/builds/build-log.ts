/**
 * The form in which a log is stored: its text, with marks between. A mark stands before a line and says when that line
 * began; lines without one began (nearly) with the line before. After a part that was left out a mark also says how many
 * lines that was, so that the numbers of the lines behind it never change while the log grows.
 */

/** One line as the dashboard shows it. */
export interface LogLine {
  /** Counted from 1, the lines that were left out too. */
  n: number;
  /** Time at which the line began. */
  at: string;
  text: string;
}

/** Record separator: no text holds it, see {@link stripMarks}. */
const SEPARATOR = '\x1e';
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is chosen because nothing else is written with it
const MARK = /\x1e([0-9a-z]+)(?::(\d+))?\x1e/g;

/**
 * @param at milliseconds since the epoch
 * @param skipped lines that were left out, this one (which says so) included
 */
export const formatMark = (at: number, skipped?: number): string =>
  `${SEPARATOR}${at.toString(36)}${skipped === undefined ? '' : `:${skipped}`}${SEPARATOR}`;

/** Removes everything from a foreign text that could be taken for a mark. */
export const stripMarks = (text: string): string => text.replaceAll(SEPARATOR, '');

/** The time of the last mark in a stored text, in milliseconds since the epoch; undefined where there is none. */
export function findLastTime(stored: string): number | undefined {
  const last = [...stored.matchAll(MARK)].at(-1)?.[1];
  return last === undefined ? undefined : Number.parseInt(last, 36);
}

/** The text of a stored log. */
export const toText = (stored: string): string => stored.replace(MARK, '');

/** The lines of a stored log. The last one may not be whole yet: without a line end it counts only when `ended`. */
export function toLines(stored: string, ended: boolean): LogLine[] {
  const lines = stored.split('\n');
  const last = lines.pop();
  if (ended && last) lines.push(last);
  let n = 0;
  let time = 0;
  return lines.map((line) => {
    n += 1;
    for (const [, at = '', skipped] of line.matchAll(MARK)) {
      time = Number.parseInt(at, 36);
      if (skipped !== undefined) n += Math.max(0, Number(skipped) - 1);
    }
    return { n, at: new Date(time).toISOString(), text: toText(line) };
  });
}
