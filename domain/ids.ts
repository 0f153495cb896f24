import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/** Random bytes for many ids at a time: asking for a few costs nearly as much as asking for all of these. */
const pool = Buffer.alloc(RANDOM_LENGTH * 128);
let used = pool.length;

/** 80 random bits as base-32 digits. The first one's highest bit stays free, so that counting on never overflows. */
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

/** Of the digits, the first so many count on within a millisecond; the others are drawn anew, so that no id tells the next. */
const COUNTED = 9;

function following(digits: readonly number[]): number[] {
  const next = randomDigits();
  let carry = 1;
  for (let place = COUNTED - 1; place >= 0; place -= 1) {
    const sum = (digits[place] ?? 0) + carry;
    next[place] = sum & 31;
    carry = sum >> 5;
  }
  return next;
}

const written = (digits: number[]): string => digits.map((digit) => ALPHABET[digit]).join('');

function timeText(time: number): string {
  let text = '';
  for (let left = time; text.length < TIME_LENGTH; left = Math.floor(left / 32)) text = ALPHABET[left % 32] + text;
  return text;
}

let last = { time: 0, timeText: timeText(0), digits: randomDigits() };

/**
 * An opaque id that sorts by the time it was made: 48 bits of milliseconds and 80 random ones (the ULID layout), in
 * lower case. Two made in the same millisecond by one process keep their order.
 */
export function newId(prefix: string, time: number = Date.now()): string {
  last =
    time === last.time
      ? { ...last, digits: following(last.digits) }
      : { time, timeText: timeText(time), digits: randomDigits() };
  return `${prefix}_${last.timeText}${written(last.digits)}`;
}
