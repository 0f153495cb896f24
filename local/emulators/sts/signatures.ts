import { timingSafeEqual } from 'node:crypto';

/** Returns the time of a signature's `X-Amz-Date` (`20260101T000000Z`) in milliseconds since the epoch. */
export const parseDate = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));

/** Compares a request's signature with the expected one in constant time. */
export function isSameSignature(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
