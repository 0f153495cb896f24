import { randomFillSync } from 'node:crypto';

/**
 * Ids in the layout of ULIDs, in lower case: 48 bits of milliseconds and 80 random bits in Crockford's base 32. Our own,
 * because `ulid` adds 1.8 kB to every function's bundle and counts on within a millisecond, so that one id tells the next
 * (docs/decisions/0024-libraries.md).
 */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;
/** Number of leading random digits that count on within a millisecond; the digits after them are random each time. */
const COUNTED_LENGTH = 9;

/** Random bytes for many ids at a time: drawing a few costs nearly as much as drawing all of these. */
const pool = Buffer.alloc(RANDOM_LENGTH * 128);
let used = pool.length;

/** Returns 80 random bits as base-32 digits. The highest bit stays free, so that counting on never overflows. */
function randomDigits(): number[] {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const digits = Array.from(pool.subarray(used, used + RANDOM_LENGTH), (byte) => byte & 31);
  used += RANDOM_LENGTH;
  digits[0] = (digits[0] ?? 0) & 15;
  return digits;
}

/** Returns digits that sort after the given ones. */
function nextDigits(digits: readonly number[]): number[] {
  const next = randomDigits();
  let carry = 1;
  for (let place = COUNTED_LENGTH - 1; place >= 0; place -= 1) {
    const sum = (digits[place] ?? 0) + carry;
    next[place] = sum & 31;
    carry = sum >> 5;
  }
  return next;
}

function timeDigits(time: number): string {
  let text = '';
  for (let left = time; text.length < TIME_LENGTH; left = Math.floor(left / 32)) text = ALPHABET[left % 32] + text;
  return text;
}

/**
 * Returns a generator of opaque ids with a prefix. Ids of one generator sort by the time they were made, within a
 * millisecond and across a clock that is set back too.
 */
export function idGenerator(now: () => number = Date.now): (prefix: string) => string {
  let time = 0;
  let timeText = '';
  let digits = randomDigits();
  return (prefix) => {
    const current = now();
    if (current > time || timeText === '') {
      time = current;
      timeText = timeDigits(time);
      digits = randomDigits();
    } else {
      digits = nextDigits(digits);
    }
    return `${prefix}_${timeText}${digits.map((digit) => ALPHABET[digit]).join('')}`;
  };
}

/** Returns a text that sorts before every id of a prefix made at a time or later, in epoch milliseconds. */
export const firstIdAt = (prefix: string, time: number): string => `${prefix}_${timeDigits(time)}`;

/** Creates an id by the system's clock. */
export const newId = idGenerator();
