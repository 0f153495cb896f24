import { randomFillSync } from 'node:crypto';

/**
 * Ids in the layout of ULIDs, in lower case: 48 bits of milliseconds and 80 random bits in Crockford's base 32. We do not use the
 * package `ulid`, because it adds 1.8 kB to every function's bundle and increments by one within a millisecond, so that one id
 * reveals the next (docs/decisions/0024-libraries.md).
 */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;
/** Number of leading random digits that are incremented within a millisecond; the digits after them are always random. */
const COUNTED_LENGTH = 9;

/** Random bytes for 128 ids: drawing a few bytes costs nearly as much as drawing all of them. */
const pool = Buffer.alloc(RANDOM_LENGTH * 128);
let used = pool.length;

/** Returns 80 random bits as base-32 digits. The highest bit stays 0, so that incrementing never overflows. */
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
  for (let index = COUNTED_LENGTH - 1; index >= 0; index -= 1) {
    const sum = (digits[index] ?? 0) + carry;
    next[index] = sum & 31;
    carry = sum >> 5;
  }
  return next;
}

function timeDigits(time: number): string {
  let text = '';
  for (let quotient = time; text.length < TIME_LENGTH; quotient = Math.floor(quotient / 32))
    text = ALPHABET[quotient % 32] + text;
  return text;
}

/**
 * Returns a generator of opaque ids with a prefix. Ids of one generator sort in the order of their creation, even within a
 * millisecond and after the clock was set back.
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

/** Returns a text that sorts before every id with this prefix that was created at `time` or later, in epoch milliseconds. */
export const firstIdAt = (prefix: string, time: number): string => `${prefix}_${timeDigits(time)}`;

/** Creates an id from the system clock. */
export const newId = idGenerator();
