import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pack, unpack } from './packs.ts';

const MEGABYTE = 2 ** 20;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'packs-'));
  for (const folder of ['from', 'packed']) mkdirSync(join(root, folder));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};

test('unpacks every file as it was, over older ones and beside others', async () => {
  const files = {
    'functions/api/index.mjs': 'export {};',
    'empty.json': '',
    'ü/binary': Buffer.from([0, 255, 10]),
    'large.mjs': Buffer.alloc(5 * MEGABYTE, 'large'),
    'z.mjs': 'last',
  };
  for (const [path, content] of Object.entries(files)) write(join('from', path), content);
  write('to/z.mjs', 'an older and longer file');
  write('to/other.mjs', 'stays');
  await pack(join(root, 'from'), join(root, 'packed'));
  await unpack(join(root, 'packed'), join(root, 'to'));
  for (const [path, content] of Object.entries(files))
    expect(readFileSync(join(root, 'to', path)), path).toEqual(Buffer.from(content));
  expect(readFileSync(join(root, 'to/other.mjs'), 'utf8')).toBe('stays');
});

test('keeps what files have in common once', async () => {
  const common = Array.from({ length: 20_000 }, (_, index) => String(Math.imul(index, 2_654_435_761))).join();
  for (let index = 0; index < 40; index += 1) write(`from/${index}.mjs`, `${common};${index}`);
  await pack(join(root, 'from'), join(root, 'packed'));
  const packs = globSync('*', { cwd: join(root, 'packed') });
  expect(packs.length).toBeGreaterThan(1);
  const bytes = packs.reduce((sum, name) => sum + statSync(join(root, 'packed', name)).size, 0);
  expect(bytes).toBeLessThan(packs.length * common.length);
});

test('packs an empty folder', async () => {
  await pack(join(root, 'from'), join(root, 'packed'));
  await unpack(join(root, 'packed'), join(root, 'to'));
  expect(globSync('to/**', { cwd: root })).toEqual([]);
});
