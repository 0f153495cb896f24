import { afterEach, expect, test, vi } from 'vitest';
import { toLines, toText } from '../../providers/builds/build-log.ts';
import { createBuildLog } from './log.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('starts each section and note on a new line', async () => {
  let stored = '';
  const log = createBuildLog(async (text) => {
    stored = toText(text.toString());
  });
  log.section('Installing');
  log.write('half a line');
  log.note('done in 1.0 s');
  await log.close();
  expect(stored).toBe('==> Installing\nhalf a line\n    done in 1.0 s\n');
});

test('keeps the beginning and end of a long log within 4 MiB and marks the cut', async () => {
  let stored: Buffer = Buffer.alloc(0);
  const log = createBuildLog(async (text) => {
    stored = text;
  });
  for (let line = 0; line < 120_000; line += 1) log.write(`${line} ${'ü'.repeat(40)}\n`);
  await log.close();
  const text = toText(stored.toString('utf8'));
  expect(stored.length).toBeLessThanOrEqual(4.25 * 1024 * 1024);
  expect(stored.length).toBeGreaterThan(4 * 1024 * 1024);
  expect(text.startsWith('0 ü')).toBe(true);
  expect(text.endsWith(`119999 ${'ü'.repeat(40)}\n`)).toBe(true);
  expect(text.match(/\[… the middle of this log was left out …\]/g)).toHaveLength(1);
  expect(text).not.toContain('\ufffd');
  for (const line of text.split('\n')) expect(line).toMatch(/^(\d+ ü{40}|\[….*)?$/);
  // A line's number is its position in the complete log, including lines that were cut.
  for (const line of toLines(stored.toString('utf8'), true)) {
    if (!line.text.startsWith('[')) expect(line.n).toBe(Number(line.text.split(' ')[0]) + 1);
  }
});

test('cuts a single endless line', async () => {
  let stored: Buffer = Buffer.alloc(0);
  const log = createBuildLog(async (text) => {
    stored = text;
  });
  for (let piece = 0; piece < 100; piece += 1) log.write('ü'.repeat(50_000));
  await log.close();
  expect(stored.length).toBeLessThanOrEqual(4.25 * 1024 * 1024);
  expect(stored.toString('utf8')).not.toContain('\ufffd');
});

test('stores the growing log, never concurrently, and retries a failed store', async () => {
  vi.useFakeTimers();
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  const stored: string[] = [];
  let running = 0;
  let calls = 0;
  const log = createBuildLog(async (text) => {
    calls += 1;
    running += 1;
    expect(running).toBe(1);
    await new Promise((done) => setTimeout(done, 5));
    running -= 1;
    if (calls === 1) throw new Error('S3 is away');
    stored.push(toText(text.toString()));
  }, 10);
  for (let line = 0; line < 10; line += 1) {
    log.write(`${line}\n`);
    await vi.advanceTimersByTimeAsync(10);
  }
  const closed = log.close();
  await vi.runAllTimersAsync();
  await closed;
  expect(errors).toHaveBeenCalledOnce();
  expect(stored.length).toBeGreaterThan(2);
  expect(stored.at(-1)).toBe('0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n');
});

test('numbers and times complete lines only', async () => {
  vi.useFakeTimers();
  let stored = '';
  const log = createBuildLog(async (text) => {
    stored = text.toString();
  });
  const before = Date.now();
  log.section('Installing');
  log.write('one\ntwo \x1ezz\x1e\nhalf');
  vi.setSystemTime(before + 150);
  log.write(' and half\nlater');
  await log.close();
  const lines = toLines(stored, true);
  expect(lines.map(({ n, text }) => `${n} ${text}`)).toEqual([
    '1 ==> Installing',
    '2 one',
    '3 two zz',
    '4 half and half',
    '5 later',
  ]);
  expect(toLines(stored, false)).toEqual(lines.slice(0, 4));
  const [first, , , fourth, last] = lines.map(({ at }) => Date.parse(at));
  expect([first, fourth, last]).toEqual([before, before, before + 150]);
});
