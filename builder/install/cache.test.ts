import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createCache } from './cache.ts';

const KEY = 'a'.repeat(64);
const roots: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** Creates a cache of a directory with an in-memory object store. */
function open(objects = new Map<string, Buffer>(), largest?: number) {
  const directory = mkdtempSync(join(tmpdir(), 'cache-'));
  roots.push(directory);
  const cache = createCache({
    directory,
    user: undefined,
    get: async (name) => objects.get(name),
    put: async (name, content) => void objects.set(name, content),
    ...(largest === undefined ? {} : { largest }),
  });
  return { directory, objects, cache };
}

function fill(directory: string): void {
  mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(directory, 'node_modules/.cache'));
  writeFileSync(join(directory, 'node_modules/tool.js'), 'tool', { mode: 0o755 });
  writeFileSync(join(directory, 'node_modules/.cache/scratch'), 'scratch');
  symlinkSync('../tool.js', join(directory, 'node_modules/.bin/tool'));
}

test('restores directories under their key with modes and links, without caches of tools', async () => {
  const first = open();
  fill(first.directory);
  await first.cache.keep('dependencies', KEY);
  // The build may change the directory from here on.
  writeFileSync(join(first.directory, 'node_modules/tool.js'), 'changed');
  await first.cache.close();
  const { directory, cache } = open(first.objects);
  cache.expect('dependencies');
  expect(await cache.restore('dependencies', KEY)).toBe(true);
  expect(readFileSync(join(directory, 'node_modules/.bin/tool'), 'utf8')).toBe('tool');
  expect(statSync(join(directory, 'node_modules/tool.js')).mode & 0o777).toBe(0o755);
  expect(() => statSync(join(directory, 'node_modules/.cache'))).toThrow('ENOENT');
});

test('restores nothing under another key or if nothing was stored', async () => {
  const { directory, objects, cache } = open();
  expect(await cache.restore('dependencies', KEY)).toBe(false);
  fill(directory);
  await cache.keep('dependencies', KEY);
  await cache.close();
  const other = open(objects);
  expect(await other.cache.restore('dependencies', 'b'.repeat(64))).toBe(false);
  expect(() => statSync(join(other.directory, 'node_modules'))).toThrow('ENOENT');
});

test('does not store a directory that is too large for memory', async () => {
  const { directory, objects, cache } = open(new Map(), 1_000_000);
  fill(directory);
  writeFileSync(join(directory, 'node_modules/large'), Buffer.alloc(2_000_000));
  await cache.keep('dependencies', KEY);
  await cache.close();
  expect([...objects.keys()]).toEqual([]);
});

test('continues the build without a cache if the archive is broken or the store fails', async () => {
  const complaint = vi.spyOn(console, 'error').mockReturnValue();
  const { objects, cache, directory } = open();
  fill(directory);
  await cache.keep('dependencies', KEY);
  await cache.close();
  const whole = objects.get('dependencies') ?? Buffer.alloc(0);
  for (const broken of [whole.subarray(0, whole.length - 20), Buffer.from(`${KEY}nonsense`)]) {
    const other = open(new Map([['dependencies', broken]]));
    expect(await other.cache.restore('dependencies', KEY)).toBe(false);
    expect(() => statSync(join(other.directory, 'node_modules'))).toThrow('ENOENT');
  }
  const failing = createCache({
    directory,
    user: undefined,
    get: () => Promise.reject(new Error('S3 is away')),
    put: () => Promise.reject(new Error('S3 is away')),
  });
  expect(await failing.restore('dependencies', KEY)).toBe(false);
  await failing.keep('dependencies', KEY);
  await failing.close();
  expect(complaint).toHaveBeenCalledTimes(4);
});
