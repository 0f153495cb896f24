import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function encode(value: bigint, length: number): string {
  let text = '';
  let left = value;
  for (let place = 0; place < length; place += 1) {
    text = ALPHABET[Number(left & 31n)] + text;
    left >>= 5n;
  }
  return text;
}

let last = { time: 0, random: 0n };

/**
 * An opaque id that sorts by the time it was made: 48 bits of milliseconds and 80 random ones (the ULID layout), in
 * lower case. Two made in the same millisecond by one process keep their order.
 */
export function newId(prefix: string, time: number = Date.now()): string {
  const random = BigInt(`0x${randomBytes(10).toString('hex')}`) >> 1n;
  last = time === last.time ? { time, random: last.random + 1n + (random >> 48n) } : { time, random };
  return `${prefix}_${encode(BigInt(time), 10)}${encode(last.random, 16)}`;
}
