import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBuildLog } from './log.ts';

test('sections and notes begin their own lines', async () => {
  let stored = '';
  const log = createBuildLog(async (text) => {
    stored = text.toString();
  });
  log.section('Installing');
  log.write('half a line');
  log.note('done in 1.0 s');
  await log.close();
  expect(stored).toBe('==> Installing\nhalf a line\n    done in 1.0 s\n');
});

test('a long log keeps beginning and end within 4 MiB, and the cut is marked', async () => {
  let stored: Buffer = Buffer.alloc(0);
  const log = createBuildLog(async (text) => {
    stored = text;
  });
  for (let line = 0; line < 120_000; line += 1) log.write(`${line} ${'ü'.repeat(40)}\n`);
  await log.close();
  const text = stored.toString('utf8');
  expect(stored.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(stored.length).toBeGreaterThan(3.9 * 1024 * 1024);
  expect(text.startsWith('0 ü')).toBe(true);
  expect(text.endsWith(`119999 ${'ü'.repeat(40)}\n`)).toBe(true);
  expect(text.match(/\[… the middle of this log was left out …\]/g)).toHaveLength(1);
  expect(text).not.toContain('\ufffd');
  for (const line of text.split('\n')) expect(line).toMatch(/^(\d+ ü{40}|\[….*)?$/);
});

test('one endless line is cut too', async () => {
  let stored: Buffer = Buffer.alloc(0);
  const log = createBuildLog(async (text) => {
    stored = text;
  });
  for (let piece = 0; piece < 100; piece += 1) log.write('ü'.repeat(50_000));
  await log.close();
  expect(stored.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(stored.toString('utf8')).not.toContain('\ufffd');
});

test('it is stored while it grows, never twice at once, and a failing store is asked again', async () => {
  const stored: string[] = [];
  let running = 0;
  let calls = 0;
  const log = createBuildLog(async (text) => {
    calls += 1;
    running += 1;
    expect(running).toBe(1);
    await sleep(5);
    running -= 1;
    if (calls === 1) throw new Error('S3 is away');
    stored.push(text.toString());
  }, 10);
  const errors = console.error;
  console.error = () => {};
  for (let line = 0; line < 10; line += 1) {
    log.write(`${line}\n`);
    await sleep(10);
  }
  await log.close();
  console.error = errors;
  expect(stored.length).toBeGreaterThan(2);
  expect(stored.at(-1)).toBe('0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n');
});
