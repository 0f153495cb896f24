/**
 * Bounds the texts of a response: Lambda takes 6 MB (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html) of a result
 * that holds the body as text, so that a quotation mark of the body takes four bytes, and an escape character seven.
 */

/** Bytes of a response that texts may take; the rest is for what is around them. */
const MAX_BYTES = 5_000_000;

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(value)));

/** Returns a function that says whether a value still fits into a response, beside those that did before. */
export function responseBudget(): (value: unknown) => boolean {
  let left = MAX_BYTES;
  return (value) => {
    const size = sizeOf(value);
    if (size > left) return false;
    left -= size;
    return true;
  };
}

/** Returns the first items whose texts fit into a response, at most `limit`; one in any case. */
export function fitting<T extends { text: string }>(items: readonly T[], limit: number): T[] {
  let left = MAX_BYTES;
  const end = items.findIndex(({ text }, index) => {
    left -= sizeOf(text);
    return index === limit || (left < 0 && index > 0);
  });
  return items.slice(0, end < 0 ? items.length : end);
}

const MARK = '[… the beginning of this log was left out …]\n';

/** Returns the end of a text that fits into a response, from the beginning of a line, with a mark in place of what was left out. */
export function fittingEnd(text: string): string {
  let kept = text;
  for (let size = sizeOf(kept); size > MAX_BYTES; size = sizeOf(kept)) {
    const rest = kept.slice(-Math.floor((kept.length * MAX_BYTES * 0.9) / size));
    kept = rest.slice(rest.indexOf('\n') + 1);
  }
  return kept.length === text.length ? text : MARK + kept;
}
