import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openAppLog, readAppLog, removeAppLog } from './app-log.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'app-log-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const clock = { now: 0 };
beforeEach(() => {
  clock.now = 1_000_000;
});
const open = () => openAppLog(dataDir, 'f', '1', () => clock.now);
const messages = () => readAppLog(dataDir, 'f').map(({ message }) => message);
const size = () => statSync(join(dataDir, 'logs', 'apps', 'f.log')).size;

test('keeps the lines of two streams whole and in order, including an unterminated last line', () => {
  const log = open();
  const [out, err] = [log.stream(), log.stream()];
  out('first ha');
  err('an error\nanother');
  out('lf\nlast');
  log.end();
  expect(messages()).toEqual(['an error', 'first half', 'last', 'another']);
  removeAppLog(dataDir, 'f');
  expect(messages()).toEqual([]);
});

test('limits the output per second and reports how much was dropped', () => {
  const log = open();
  const print = log.stream();
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 100; count += 1) print(line.repeat(1024));
  expect(size()).toBeLessThan(1.2 * 1024 * 1024);
  clock.now += 1000;
  print('calm again\n');
  log.end();
  expect(messages().slice(-2)).toEqual(['[… 103.8 MB dropped: output per second is limited …]', 'calm again']);
});

test('cuts an endless line instead of buffering it', () => {
  const log = open();
  const print = log.stream();
  for (let count = 0; count < 20; count += 1) print('y'.repeat(16 * 1024));
  const before = messages();
  expect(before.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 65_536, 65_536]);
  log.end();
  expect(messages()).toEqual(before);
});

test('drops the older half of a large log and keeps the ids of its lines', () => {
  const log = open();
  const print = log.stream();
  const idsOf = () => new Map(readAppLog(dataDir, 'f').map((each) => [each.message.slice(0, 8), each]));
  const known = new Map<string, ReturnType<typeof readAppLog>[number]>();
  for (let count = 0; count < 15_000; count += 1) {
    if (count % 3 === 0) clock.now += 50;
    print(`${String(count).padStart(8, '0')}${'z'.repeat(1000)}\n`);
    if (count % 2500 === 0) for (const [name, each] of idsOf()) known.set(name, each);
  }
  expect(size()).toBeLessThan(10.5 * 1024 * 1024);
  const kept = idsOf();
  expect([...kept.keys()].at(-1)).toBe('00014999');
  expect(kept.size).toBeGreaterThan(4000);
  expect(kept.size).toBeLessThan(15_000);
  let compared = 0;
  for (const [name, each] of kept) {
    const before = known.get(name);
    if (before) compared += 1;
    expect(before ?? each).toEqual(each);
  }
  expect(compared).toBeGreaterThan(1000);
  log.end();
});

test.skipIf(process.platform !== 'linux')(
  'output that a full disk does not take is lost, which is reported once',
  () => {
    const report = vi.spyOn(console, 'error').mockReturnValue();
    mkdirSync(join(dataDir, 'logs', 'apps'), { recursive: true });
    symlinkSync('/dev/full', join(dataDir, 'logs', 'apps', 'f.log'));
    const log = open();
    const print = log.stream();
    print('one\n');
    print('two\n');
    log.end();
    expect(report).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'ENOSPC' }));
  },
);
