import { describe, expect, test } from 'vitest';
import { Cache, readThrough, staleWhileRevalidate } from './cache.ts';

function clock() {
  let at = 0;
  return {
    now: () => new Date(at),
    advance: (ms: number) => {
      at += ms;
    },
  };
}

/** Reads that are counted and settled by hand. */
function reads() {
  const pending: PromiseWithResolvers<string>[] = [];
  return {
    pending,
    read: () => {
      const next = Promise.withResolvers<string>();
      pending.push(next);
      return next.promise;
    },
  };
}

const turn = () => new Promise((done) => setImmediate(done));
const failing = () => Promise.reject(new Error('away'));

describe('a cache', () => {
  test('evicts the least recently used entry beyond its maximum', () => {
    const cache = new Cache<number>({ max: 2 });
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  });

  test('replaces an entry without evicting another one', () => {
    const cache = new Cache<number>({ max: 2 });
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('b', 3);
    expect([cache.get('a'), cache.get('b')]).toEqual([1, 3]);
  });

  test('does not keep what was stored before the clock was set back', () => {
    const { now, advance } = clock();
    const cache = new Cache<number>({ max: 9, ttlMs: 100, now });
    cache.set('a', 1);
    advance(-3_600_000);
    expect(cache.get('a')).toBeUndefined();
    cache.set('a', 2);
    expect(cache.get('a')).toBe(2);
  });

  test('returns an entry until its own time to live, or that of the cache, has passed', () => {
    const { now, advance } = clock();
    const cache = new Cache<number>({ max: 9, ttlMs: 100, now });
    cache.set('usual', 1);
    cache.set('short', 2, 50);
    advance(49);
    expect([cache.get('usual'), cache.get('short')]).toEqual([1, 2]);
    advance(1);
    expect([cache.get('usual'), cache.get('short')]).toEqual([1, undefined]);
    advance(50);
    expect(cache.get('usual')).toBeUndefined();
  });

  test('forgets a deleted entry', () => {
    const cache = new Cache<number>({ max: 9 });
    cache.set('a', 1);
    cache.delete('a');
    expect(cache.get('a')).toBeUndefined();
  });
});

describe('a read-through cache', () => {
  test('shares one read between concurrent callers', async () => {
    const { pending, read } = reads();
    const fetch = readThrough<string>({ max: 9 });
    const both = Promise.all([fetch('a', read), fetch('a', read)]);
    pending[0]?.resolve('one');
    expect(await both).toEqual(['one', 'one']);
    expect(await fetch('a', read)).toBe('one');
    expect(pending).toHaveLength(1);
  });

  test('reads each key independently', async () => {
    const fetch = readThrough<string>({ max: 9 });
    expect(await Promise.all(['a', 'b'].map((key) => fetch(key, async () => key)))).toEqual(['a', 'b']);
  });

  test('passes a failed read on to its callers and does not store it', async () => {
    const fetch = readThrough<string>({ max: 9 });
    const both = await Promise.allSettled([fetch('a', failing), fetch('a', failing)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const throwing = () => {
      throw new Error('at once');
    };
    await expect(fetch('a', throwing)).rejects.toThrow('at once');
    expect(await fetch('a', async () => 'back')).toBe('back');
  });

  test('waits for a read once the entry has expired', async () => {
    const { now, advance } = clock();
    const fetch = readThrough<string>({ max: 9, ttlMs: 100, now });
    await fetch('a', async () => 'old');
    advance(100);
    expect(await fetch('a', async () => 'new')).toBe('new');
  });

  test('returns a stale entry while a single read refreshes it', async () => {
    const { now, advance } = clock();
    const { pending, read } = reads();
    const fetch = readThrough<string>({ max: 9, ttlMs: 100, staleMs: 1000, now });
    await fetch('a', async () => 'old');
    advance(100);
    expect(await Promise.all([fetch('a', read), fetch('a', read)])).toEqual(['old', 'old']);
    expect(pending).toHaveLength(1);
    pending[0]?.resolve('new');
    await turn();
    expect(await fetch('a', read)).toBe('new');
    expect(pending).toHaveLength(1);
  });

  test('returns a stale entry while its refresh fails, and waits for a read once it is too old', async () => {
    const { now, advance } = clock();
    const fetch = readThrough<string>({ max: 9, ttlMs: 100, staleMs: 1000, now });
    await fetch('a', async () => 'old');
    advance(500);
    expect(await fetch('a', failing)).toBe('old');
    await turn();
    expect(await fetch('a', failing)).toBe('old');
    await turn();
    advance(600);
    await expect(fetch('a', failing)).rejects.toThrow('away');
  });
});

test('a setting is read once, and again in the background once it is 30 seconds old', async () => {
  const { now, advance } = clock();
  let version = 0;
  const setting = staleWhileRevalidate(now, async () => {
    version += 1;
    return version;
  });
  expect([await setting(), await setting()]).toEqual([1, 1]);
  advance(30_000);
  expect(await setting()).toBe(1);
  await turn();
  expect(await setting()).toBe(2);
  // An instance that was idle waits for what is true now.
  advance(300_000);
  expect(await setting()).toBe(3);
});
