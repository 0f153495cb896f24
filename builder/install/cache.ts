import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { CacheName } from '../../providers/builds/builds.ts';
import type { User } from '../commands/build-user.ts';

/**
 * What builds of one application keep for the next: directories that cost time to make, each packed with the key that says
 * when they fit. There is one object a name and application: nobody else's builds are told its address.
 */
export interface Cache {
  /** Begins to get what was kept, so that it is there when it is asked for. */
  expect(name: CacheName): void;
  /** Puts kept directories in place; false when nothing is kept, or under another key. Never throws: then nothing is there. */
  restore(name: CacheName, key: string): Promise<boolean>;
  /** Packs directories, and resolves when they may change again: they are stored in the background. Never throws. */
  keep(name: CacheName, key: string): Promise<void>;
  /** Resolves when all is stored. */
  close(): Promise<void>;
}

/** What is kept, in the repository. Tools' own caches inside of packages are left out: they are not what was installed. */
const DIRECTORIES: Record<CacheName, { directory: string; without: string[] }> = {
  dependencies: { directory: 'node_modules', without: ['node_modules/.cache'] },
  build: { directory: '.next/cache', without: [] },
};

/** SHA-256 in hexadecimal: the object begins with its key. */
const KEY_LENGTH = 64;
/** Packed bytes that are worth moving: beyond, making it anew is hardly slower. */
const LARGEST = 512 * 1024 * 1024;
/** Bytes that are held in memory for it: a directory that ran away must not take the build along. */
const LARGEST_UNPACKED = 2 * 1024 ** 3;
/** The fastest level packs `node_modules` to a third in a tenth of the time that gzip takes. */
const LEVEL = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };

export interface CacheOptions {
  /** The repository. */
  directory: string;
  user: User | undefined;
  get(name: CacheName): Promise<Buffer | undefined>;
  put(name: CacheName, content: Buffer): Promise<void>;
  /** Larger directories, unpacked, are not kept; in bytes. */
  largest?: number;
}

export function createCache({ directory, user, get, put, largest = LARGEST_UNPACKED }: CacheOptions): Cache {
  const expected = new Map<CacheName, Promise<Buffer | undefined>>();
  const storing: Promise<void>[] = [];
  const complain = (what: string) => (error: unknown) => {
    console.error(`the cache could not be ${what}`, error);
    return undefined;
  };
  const expect = (name: CacheName): Promise<Buffer | undefined> => {
    const found = expected.get(name) ?? get(name).catch(complain('read'));
    expected.set(name, found);
    return found;
  };
  const asUser = user ? { uid: user.uid, gid: user.gid } : {};

  return {
    expect(name) {
      void expect(name);
    },
    async restore(name, key) {
      const kept = await expect(name);
      expected.delete(name);
      if (kept?.subarray(0, KEY_LENGTH).toString('latin1') !== key) return false;
      try {
        const tar = spawn('tar', ['-xf', '-', '-C', directory], { stdio: ['pipe', 'ignore', 'inherit'], ...asUser });
        const ended = once(tar, 'exit');
        const content = Readable.from([kept.subarray(KEY_LENGTH)]);
        // tar ends at the archive's end mark, and may so close the pipe before the padding is through: its status counts.
        await Promise.allSettled([pipeline(content, zlib.createZstdDecompress(), tar.stdin), ended]);
        await succeeded(ended);
        return true;
      } catch (error) {
        complain('unpacked')(error);
        await rm(join(directory, DIRECTORIES[name].directory), { recursive: true, force: true });
        return false;
      }
    },
    async keep(name, key) {
      const read = readPacked(directory, name, largest, asUser);
      const store = async (): Promise<void> => {
        const archive = await read;
        if (!archive) return;
        const content = await promisify(zlib.zstdCompress)(archive, LEVEL);
        if (content.length <= LARGEST) await put(name, Buffer.concat([Buffer.from(key, 'latin1'), content]));
      };
      storing.push(store().catch(complain('kept')));
      await Promise.allSettled([read]);
    },
    async close() {
      await Promise.all(storing);
    },
  };
}

async function succeeded(exit: Promise<unknown[]>): Promise<void> {
  const [status] = await exit;
  if (status !== 0) throw new Error(`tar ended with ${status}`);
}

/**
 * The directory as a tar archive; undefined where that is too large. In one piece: compressing a stream of this size takes
 * four times as long.
 */
async function readPacked(
  directory: string,
  name: CacheName,
  largest: number,
  asUser: { uid?: number; gid?: number },
): Promise<Buffer | undefined> {
  const { directory: kept, without } = DIRECTORIES[name];
  const excluded = without.map((path) => `--exclude=${path}`);
  const tar = spawn('tar', ['-cf', '-', ...excluded, '-C', directory, '--', kept], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...asUser,
  });
  const ended = succeeded(once(tar, 'exit'));
  ended.catch(() => {}); // told below, unless it was ended here
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of tar.stdout) {
    size += chunk.length;
    if (size > largest) {
      tar.kill('SIGKILL');
      return undefined;
    }
    chunks.push(chunk);
  }
  await ended;
  return Buffer.concat(chunks);
}
