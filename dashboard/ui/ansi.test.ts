import { describe, expect, test } from 'vitest';
import { readAnsi } from './ansi.ts';

const textOf = (log: string) =>
  readAnsi(log)
    .map(({ text }) => text)
    .join('');

describe('a log with escape sequences', () => {
  test('shows its colours and nothing of the sequences', () => {
    expect(readAnsi('a \x1b[1;31mred\x1b[0m b')).toEqual([
      { text: 'a ', className: '' },
      { text: 'red', className: 'ansi-bold ansi-31' },
      { text: ' b', className: '' },
    ]);
  });

  test('keeps 256 and true colours from being taken for codes', () => {
    expect(readAnsi('\x1b[38;5;31mx')).toEqual([{ text: 'x', className: '' }]);
    expect(readAnsi('\x1b[38;2;1;1;1mx')).toEqual([{ text: 'x', className: '' }]);
  });

  test('cannot move the cursor, set a title or make a link', () => {
    expect(textOf('\x1b[2J\x1b[10;10Hhere')).toBe('here');
    expect(textOf('\x1b]0;title\x07after')).toBe('after');
    expect(textOf('\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\')).toBe('link');
    expect(textOf('bell\x07 \x08back\x00')).toBe('bell back');
  });

  test('shows of a line that was overwritten what it ended as', () => {
    expect(textOf('10%\r50%\r100%\nnext\r\n')).toBe('100%\nnext\n');
  });

  test('is text where it looks like HTML', () => {
    expect(textOf('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });

  test('survives a sequence that was cut off', () => {
    expect(textOf('end\x1b[3')).toMatch(/^end/);
    expect(textOf('end\x1b')).toBe('end');
  });
});
