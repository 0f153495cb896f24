/**
 * Limits the size of a response. Lambda accepts a result of 6 MB (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
 * The result contains the body as an escaped text, so a quotation mark of the body takes four bytes and an escape character seven.
 */

/** Bytes of a response that texts may take; the remaining megabyte is for the structure around them. */
const MAX_BYTES = 5_000_000;

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(value)));

/** Returns a predicate that is true if a value still fits into the response, together with the values accepted before. */
export function responseBudget(): (value: unknown) => boolean {
  let remaining = MAX_BYTES;
  return (value) => {
    const size = sizeOf(value);
    if (size > remaining) return false;
    remaining -= size;
    return true;
  };
}

/** Returns the first items whose texts fit into a response: at most `limit`, and at least one even if it is too large. */
export function itemsThatFit<T extends { text: string }>(items: readonly T[], limit: number): T[] {
  let remaining = MAX_BYTES;
  const end = items.findIndex(({ text }, index) => {
    remaining -= sizeOf(text);
    return index === limit || (remaining < 0 && index > 0);
  });
  return items.slice(0, end < 0 ? items.length : end);
}

const MARK = '[… the beginning of this log was left out …]\n';

/** Returns the end of a text that fits into a response, from the beginning of a line. A mark replaces the omitted beginning. */
export function endThatFits(text: string): string {
  let kept = text;
  for (let size = sizeOf(kept); size > MAX_BYTES; size = sizeOf(kept)) {
    const end = kept.slice(-Math.floor((kept.length * MAX_BYTES * 0.9) / size));
    kept = end.slice(end.indexOf('\n') + 1);
  }
  return kept.length === text.length ? text : MARK + kept;
}
