import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { splitArchive } from './archive-parts.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});
const newDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'archive-parts-'));
  roots.push(directory);
  return directory;
};

const pack = (directory: string): Buffer =>
  execFileSync('tar', ['-cf', '-', '-C', directory, '.'], { maxBuffer: 64 * 1024 ** 2 });
/** From a file: tar leaves a pipe at the end mark, before the padding. */
function unpack(archive: Buffer, directory: string): void {
  const file = join(newDirectory(), 'archive.tar');
  writeFileSync(file, archive);
  execFileSync('tar', ['-xf', file, '-C', directory]);
}

/** Returns the mode and the content of everything in a directory, by path. */
const treeOf = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isFile() ? readFileSync(path, 'latin1') : '';
      return [path.slice(directory.length), [lstatSync(path).mode, content]];
    }),
  );

function fill(directory: string): void {
  for (const name of ['a', 'b', `with ${'long '.repeat(30)}name`, 'Grüße', 'c']) {
    const inner = join(directory, name, 'lib/deep'.repeat(4));
    mkdirSync(inner, { recursive: true, mode: 0o750 });
    for (let file = 0; file < 20; file += 1)
      writeFileSync(join(inner, `${file}.js`), `${name} ${file}`.repeat(file * 50));
    writeFileSync(join(inner, 'run'), '#!/bin/sh', { mode: 0o755 });
    symlinkSync('./0.js', join(inner, 'link.js'));
  }
}

test('both parts together have what the archive has, in whatever order they are unpacked', () => {
  const [source, whole] = [newDirectory(), newDirectory()];
  fill(source);
  const archive = pack(source);
  const parts = splitArchive(archive);
  unpack(archive, whole);
  for (const order of [parts, parts.toReversed()]) {
    const directory = newDirectory();
    for (const part of order) unpack(part, directory);
    expect(treeOf(directory)).toEqual(treeOf(whole));
  }
  // Each has its share of the files.
  const counts = parts.map((part) => {
    const directory = newDirectory();
    unpack(part, directory);
    return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  });
  expect(counts).toEqual([expect.any(Number), expect.any(Number)]);
  expect(counts.reduce((sum, count) => sum + count)).toBe(5 * 21);
  expect(Math.min(...counts)).toBeGreaterThan(5 * 21 * 0.3);
});

test('an archive with hard links stays whole', () => {
  const directory = newDirectory();
  fill(directory);
  linkSync(join(directory, 'a', 'lib/deep'.repeat(4), '1.js'), join(directory, 'linked.js'));
  expect(splitArchive(pack(directory))).toHaveLength(1);
});

test.each([
  ['an empty one', Buffer.alloc(10_240)],
  ['none', Buffer.alloc(0)],
])('%s stays whole', (_, archive) => {
  expect(splitArchive(archive)).toEqual([archive]);
});
