import { expect, test } from 'vitest';
import { endThatFits, itemsThatFit } from './response-size.ts';

/** The size of a result of Lambda with this value in its body. */
const resultSize = (value: unknown) => Buffer.byteLength(JSON.stringify({ body: JSON.stringify({ data: value }) }));
const LAMBDA_LIMIT = 6 * 1024 * 1024;
/** Characters that take from one to seven bytes of a result. */
const KINDS = ['x', '"', '\u001b', 'é', '\\'];

test.each(KINDS)('lines of %j fit into a response, and the next request continues after them', (character) => {
  const lines = Array.from({ length: 300 }, (_, n) => ({ n, text: character.repeat(20_000) }));
  let read = 0;
  while (read < lines.length) {
    const part = itemsThatFit(lines.slice(read), 500);
    expect(part.length).toBeGreaterThan(0);
    expect(part.length).toBeLessThanOrEqual(500);
    expect(part[0]?.n).toBe(read);
    expect(resultSize(part)).toBeLessThan(LAMBDA_LIMIT);
    read += part.length;
  }
});

test('returns as many short lines as requested, and a single line completely', () => {
  const lines = Array.from({ length: 30 }, () => ({ text: 'short' }));
  expect(itemsThatFit(lines, 20)).toHaveLength(20);
  expect(itemsThatFit(lines, 500)).toHaveLength(30);
  expect(itemsThatFit([{ text: 'x'.repeat(5_500_000) }, { text: 'next' }], 500)).toHaveLength(1);
});

test.each(KINDS)('returns the end of a long log of %j, from the beginning of a line', (character) => {
  const line = `${character.repeat(99)}\n`;
  const log = `first\n${line.repeat(43_000)}last\n`;
  const shown = endThatFits(log);
  expect(resultSize(shown)).toBeLessThan(LAMBDA_LIMIT);
  expect(shown.endsWith(`${line}last\n`)).toBe(true);
  if (shown !== log) expect(shown).toMatch(/^\[… the beginning of this log was left out …\]\n/);
  expect(endThatFits('short\n')).toBe('short\n');
});
