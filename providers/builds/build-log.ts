/**
 * The stored form of a log: its text, interspersed with marks. A mark precedes a line and gives the time at which that line began. A line
 * without a mark began at (nearly) the same time as the previous line. After an omitted part, a mark also gives the number of omitted lines,
 * so that the numbers of later lines never change while the log grows.
 */

/** One line as the dashboard shows it. */
export interface LogLine {
  /** Counted from 1, including omitted lines. */
  n: number;
  /** Time at which the line began. */
  at: string;
  text: string;
}

/** ASCII record separator, which no text contains (see {@link stripMarks}). */
const SEPARATOR = '\x1e';
// biome-ignore lint/suspicious/noControlCharactersInRegex: chosen because no text contains it
const MARK = /\x1e([0-9a-z]+)(?::(\d+))?\x1e/g;

/**
 * Formats a mark.
 * @param at milliseconds since the epoch
 * @param skipped number of omitted lines, including the line that reports the omission
 */
export const formatMark = (at: number, skipped?: number): string =>
  `${SEPARATOR}${at.toString(36)}${skipped === undefined ? '' : `:${skipped}`}${SEPARATOR}`;

/** Removes from an external text everything that could be taken for a mark. */
export const stripMarks = (text: string): string => text.replaceAll(SEPARATOR, '');

/** Returns the time of the last mark in a stored text, in milliseconds since the epoch; undefined if there is no mark. */
export function findLastTime(stored: string): number | undefined {
  const last = [...stored.matchAll(MARK)].at(-1)?.[1];
  return last === undefined ? undefined : Number.parseInt(last, 36);
}

/** Returns the text of a stored log without its marks. */
export const toText = (stored: string): string => stored.replace(MARK, '');

/** Returns the lines of a stored log. A last line without a line end may be incomplete, so it counts only if the log has `ended`. */
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
