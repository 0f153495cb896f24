import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { createCache } from './cache.ts';

const KEY = 'a'.repeat(64);
const roots: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** Returns a download that arrives in pieces. */
const download = (...pieces: Buffer[]): Readable => Readable.from(pieces);

/** Creates a cache of a directory with an in-memory object store. */
function open(objects = new Map<string, Buffer>(), maxUnpackedBytes?: number) {
  const directory = mkdtempSync(join(tmpdir(), 'cache-'));
  roots.push(directory);
  const cache = createCache({
    directory,
    user: undefined,
    get: async (name) => {
      const object = objects.get(name);
      return object && download(object.subarray(0, 10), object.subarray(10, 100), object.subarray(100));
    },
    put: async (name, content) => void objects.set(name, content),
    ...(maxUnpackedBytes === undefined ? {} : { maxUnpackedBytes }),
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

/** Creates a cache whose downloads are these. */
function openDownloads(get: () => Readable) {
  const directory = mkdtempSync(join(tmpdir(), 'cache-'));
  roots.push(directory);
  const put = () => Promise.reject(new Error('nothing is stored here'));
  return { directory, cache: createCache({ directory, user: undefined, get: async () => get(), put }) };
}

test('an interrupted download restores nothing, even if it breaks between two files', async () => {
  const complaint = vi.spyOn(console, 'error').mockReturnValue();
  const { objects, cache, directory } = open();
  fill(directory);
  await cache.keep('dependencies', KEY);
  await cache.close();
  const object = objects.get('dependencies') ?? Buffer.alloc(0);
  // The directory alone, over and over and without an end mark, with which tar is content. It takes some of them before the end.
  const entry = execFileSync('tar', ['-cf', '-', '-C', directory, '--no-recursion', 'node_modules']).subarray(0, 512);
  const cut = Buffer.concat([Buffer.from(KEY), zstdCompressSync(Buffer.alloc(1024 ** 2, entry))]);
  const beginnings = [Buffer.alloc(0), object.subarray(0, 10), object.subarray(0, object.length / 2), cut];
  for (const begin of beginnings) {
    const broken = openDownloads(() =>
      Readable.from(
        (async function* () {
          yield begin;
          // tar has what has arrived.
          await vi.waitFor(() => begin !== cut || statSync(join(broken.directory, 'node_modules')));
          throw new Error('the connection broke');
        })(),
      ),
    );
    broken.cache.expect('dependencies');
    await turn();
    expect(await broken.cache.restore('dependencies', KEY)).toBe(false);
    expect(() => statSync(join(broken.directory, 'node_modules'))).toThrow('ENOENT');
  }
  expect(complaint).toHaveBeenCalledTimes(beginnings.length);
});

test('a download under another key is not read to its end', async () => {
  const content = Readable.from(
    (async function* () {
      yield Buffer.from('b'.repeat(64));
      for (;;) yield await turn(Buffer.alloc(1024));
    })(),
  );
  const { cache } = openDownloads(() => content);
  expect(await cache.restore('dependencies', KEY)).toBe(false);
  await turn();
  expect(content.destroyed).toBe(true);
});

test('packs directories that are kept at the end when the cache is closed', async () => {
  const { directory, objects, cache } = open();
  mkdirSync(join(directory, '.next/cache'), { recursive: true });
  writeFileSync(join(directory, '.next/cache/entry'), 'before');
  cache.keepAtEnd('build', KEY);
  writeFileSync(join(directory, '.next/cache/entry'), 'last');
  await turn();
  expect([...objects.keys()]).toEqual([]);
  await cache.close();
  const next = open(objects);
  expect(await next.cache.restore('build', KEY)).toBe(true);
  expect(readFileSync(join(next.directory, '.next/cache/entry'), 'utf8')).toBe('last');
});

test('stores content once that packages contain twice', async () => {
  const { directory, objects, cache } = open();
  mkdirSync(join(directory, 'node_modules'));
  const content = randomBytes(4 * 1024 ** 2);
  for (const name of ['commonjs', 'module']) writeFileSync(join(directory, 'node_modules', name), content);
  await cache.keep('dependencies', KEY);
  await cache.close();
  expect(objects.get('dependencies')?.length).toBeLessThan(1.1 * content.length);
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
