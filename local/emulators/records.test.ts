import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { hasRecords, openRecords } from './records.ts';

const Thing = z.object({ size: z.number() });

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'records-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'things');
}
const linesOf = (path: string): string[] => readFileSync(`${path}.jsonl`, 'utf8').split('\n').slice(0, -1);

test('records have the values of their last changes after a restart, in the order of their creation', () => {
  const path = newPath();
  const { value, save } = openRecords(path, Thing);
  for (const [name, size] of [
    ['b', 1],
    ['a', 2],
    ['c', 3],
    ['b', 4],
  ] as const) {
    value[name] = { size };
    save(name);
  }
  delete value.c;
  save('c');
  expect(Object.entries(openRecords(path, Thing).value)).toEqual([
    ['b', { size: 4 }],
    ['a', { size: 2 }],
  ]);
});

test('a change appends one line and writes nothing else', () => {
  const path = newPath();
  const { value, save } = openRecords(path, Thing);
  for (const name of ['a', 'b']) {
    value[name] = { size: 1 };
    save(name);
  }
  const before = readFileSync(`${path}.jsonl`, 'utf8');
  value.a = { size: 2 };
  save('a');
  expect(readFileSync(`${path}.jsonl`, 'utf8')).toBe(`${before}["a",{"size":2}]\n`);
});

test('opening writes nothing: a data directory without records has none of their files', () => {
  const path = newPath();
  const { value, save } = openRecords(path, Thing);
  expect(hasRecords(path)).toBe(false);
  value.a = { size: 1 };
  save('a');
  expect(hasRecords(path)).toBe(true);
  appendFileSync(`${path}.jsonl`, '["a",{"si');
  const before = readFileSync(`${path}.jsonl`, 'utf8');
  openRecords(path, Thing);
  expect(readFileSync(`${path}.jsonl`, 'utf8')).toBe(before);
});

test('an incomplete last line is dropped, and later changes are kept', () => {
  const path = newPath();
  const first = openRecords(path, Thing);
  first.value.a = { size: 1 };
  first.save('a');
  appendFileSync(`${path}.jsonl`, '["a",{"si');
  const second = openRecords(path, Thing);
  expect(second.value).toEqual({ a: { size: 1 } });
  second.value.b = { size: 2 };
  second.save('b');
  expect(openRecords(path, Thing).value).toEqual({ a: { size: 1 }, b: { size: 2 } });
});

test('a file whose lines are mostly superseded is rewritten', () => {
  const path = newPath();
  const { value, save } = openRecords(path, Thing);
  value.kept = { size: 0 };
  save('kept');
  for (let size = 0; size < 5000; size += 1) {
    value.changed = { size };
    save('changed');
  }
  expect(linesOf(path).length).toBeLessThan(2500);
  const again = openRecords(path, Thing);
  expect(again.value).toEqual({ kept: { size: 0 }, changed: { size: 4999 } });
  again.save('changed');
  expect(linesOf(path)).toHaveLength(2);
});

test('a rewrite that fails can be repeated, and closes no file of others', () => {
  const path = newPath();
  const { value, save } = openRecords(path, Thing);
  const change = (): void => {
    value.a = { size: 1 };
    save('a');
  };
  change();
  // Stands for a full disk: the file cannot be rewritten.
  mkdirSync(`${path}.jsonl.new`);
  expect(() => {
    for (let count = 0; count < 5000; count += 1) change();
  }).toThrow('EISDIR');
  // Receives the number of the file that the failed rewrite has closed.
  const other = openSync(join(path, '../other'), 'w');
  onTestFinished(() => closeSync(other));
  rmSync(`${path}.jsonl.new`, { recursive: true });
  change();
  expect(fstatSync(other).size).toBe(0);
  expect(linesOf(path)).toEqual(['["a",{"size":1}]']);
});

test('a line of which the disk takes only a part is reported, and the next change repairs the file', () => {
  const path = newPath();
  const module = JSON.stringify(new URL('./records.ts', import.meta.url).href);
  // A limit of the file's size stands for the disk: both take the beginning of a line.
  const program = `
    import * as z from 'zod';
    import { openRecords } from ${module};
    const { value, save } = openRecords(process.argv[1], z.object({ size: z.number() }));
    const change = (size) => { value.a = { size }; save('a'); };
    let size = 0;
    try { for (;;) change(size += 1); } catch {}
    change(size += 1);
    console.log(size);`;
  const limited = ['-c', 'ulimit -f 1; trap "" XFSZ; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e'];
  const size = Number(execFileSync('sh', [...limited, program, path], { encoding: 'utf8' }));
  expect(size).toBeGreaterThan(20);
  expect(linesOf(path)).toEqual([`["a",{"size":${size}}]`]);
});

test('records of an earlier version are read from its file, once', () => {
  const path = newPath();
  writeFileSync(`${path}.json`, JSON.stringify({ old: { size: 1 } }));
  const { value, save } = openRecords(path, Thing);
  expect(value).toEqual({ old: { size: 1 } });
  delete value.old;
  save('old');
  expect(openRecords(path, Thing).value).toEqual({});
});

test('a damaged line, or one of a newer version, is refused with the name of the file', () => {
  const path = newPath();
  for (const line of ['["a",{"size":"large"}]', '["a"', '{}']) {
    writeFileSync(`${path}.jsonl`, `${line}\n`);
    expect(() => openRecords(path, Thing), line).toThrow(`${path}.jsonl cannot be read`);
  }
});
