import { expect, test } from 'vitest';
import { levelOf, logsBetween, parseLogWindow } from './log-window.ts';

test('the URL of a span is read back, and nonsense is no span', () => {
  const [, search] = logsBetween('app_1', 0, 60_000).split('?');
  const span = { from: '1970-01-01T00:00:00.000Z', to: '1970-01-01T00:01:00.000Z' };
  expect(parseLogWindow(new URLSearchParams(search))).toEqual(span);
  for (const text of ['', 'from=x&to=y', `from=${span.to}&to=${span.from}`, `from=${span.from}`])
    expect(parseLogWindow(new URLSearchParams(text))).toBeUndefined();
});

test.each([
  ['{"level":"error","msg":"x"}', 'error'],
  ['{"level":50,"msg":"x"}', 'error'],
  ['{"time":1,"level":40}', 'warning'],
  ['{"level":30,"msg":"an error was fixed"}', 'info'],
  ['TypeError: x is not a function', 'error'],
  ['2026-01-31T09:30:00Z WARN slow', 'warning'],
  ['(node:12) Warning: deprecated', 'warning'],
  ['GET /errors 200', 'info'],
  ['listening on 3000', 'info'],
] as const)('the level of %s is %s', (text, level) => {
  expect(levelOf(text)).toBe(level);
});
