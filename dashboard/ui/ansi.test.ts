import { describe, expect, test } from 'vitest';
import { parseAnsi } from './ansi.ts';

const textOf = (log: string) =>
  parseAnsi(log)
    .map(({ text }) => text)
    .join('');

describe('a log with escape sequences', () => {
  test('shows its colors and removes the sequences', () => {
    expect(parseAnsi('a \x1b[1;31mred\x1b[0m b')).toEqual([
      { text: 'a ', className: '' },
      { text: 'red', className: 'ansi-bold ansi-31' },
      { text: ' b', className: '' },
    ]);
  });

  test('does not mistake 256-color and true-color arguments for codes', () => {
    expect(parseAnsi('\x1b[38;5;31mx')).toEqual([{ text: 'x', className: '' }]);
    expect(parseAnsi('\x1b[38;2;1;1;1mx')).toEqual([{ text: 'x', className: '' }]);
  });

  test('cannot move the cursor, set a title or make a link', () => {
    expect(textOf('\x1b[2J\x1b[10;10Hhere')).toBe('here');
    expect(textOf('\x1b]0;title\x07after')).toBe('after');
    expect(textOf('\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\')).toBe('link');
    expect(textOf('bell\x07 \x08back\x00')).toBe('bell back');
  });

  test('shows the last state of an overwritten line', () => {
    expect(textOf('10%\r50%\r100%\nnext\r\n')).toBe('100%\nnext\n');
  });

  test('has lines of a million characters, such as a bundle in an error message', () => {
    const line = 'x'.repeat(1_000_000);
    expect(textOf(`${line}\n10%\r${line}\r\n`)).toBe(`${line}\n${line}\n`);
  });

  test('stays text where it looks like HTML', () => {
    expect(textOf('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });

  test('tolerates a truncated sequence', () => {
    expect(textOf('end\x1b[3')).toMatch(/^end/);
    expect(textOf('end\x1b')).toBe('end');
  });
});
