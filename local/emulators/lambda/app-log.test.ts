import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
const open = () => openAppLog(dataDir, 'f', () => clock.now);
const messages = () => readAppLog(dataDir, 'f').map(({ message }) => message);
const size = () => statSync(join(dataDir, 'logs', 'apps', 'f.log')).size;

test('lines of two streams are kept whole, in order, and a last one without an end too', () => {
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

test('of a flood a second’s worth is kept, and what was left out is told', () => {
  const log = open();
  const print = log.stream();
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 100; count += 1) print(line.repeat(1024));
  expect(size()).toBeLessThan(1.2 * 1024 * 1024);
  clock.now += 1000;
  print('calm again\n');
  log.end();
  expect(messages().slice(-2)).toEqual([
    '[… 103.8 MB were left out: more was printed in a second than is kept …]',
    'calm again',
  ]);
});

test('a line that never ends is cut, and not kept in memory until it does', () => {
  const log = open();
  const print = log.stream();
  for (let count = 0; count < 20; count += 1) print('y'.repeat(16 * 1024));
  const before = messages();
  expect(before.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 65_536, 65_536]);
  log.end();
  expect(messages()).toEqual(before);
});

test('a log that grows for long loses its older half, and its lines keep their ids', () => {
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
