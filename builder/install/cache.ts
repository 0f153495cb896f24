import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { CacheName } from '../../providers/builds/keys.ts';
import { startChild, toolEnvironment, type User } from '../commands/child.ts';

/**
 * Cache of directories that are expensive to create, shared by the builds of one application. Each directory is packed with a key that
 * identifies its content. There is one object per name and application, and builds of other applications have no access to it.
 */
export interface Cache {
  /** Starts to download a cached directory before it is needed. */
  expect(name: CacheName): void;
  /**
   * Restores cached directories. Restores nothing and returns false if nothing is stored or the key differs. Never throws.
   */
  restore(name: CacheName, key: string): Promise<boolean>;
  /** Packs directories and stores them in the background. Resolves when the directories may change again. Never throws. */
  keep(name: CacheName, key: string): Promise<void>;
  /** Packs and stores directories when the cache is closed, so that the deployment does not wait. They must not change any more. */
  keepAtEnd(name: CacheName, key: string): void;
  /** Resolves when everything is stored. Never throws. */
  close(): Promise<void>;
}

/**
 * Cached directories of the repository. Tools' own caches inside packages are excluded, because they are not part of
 * the installation.
 */
const DIRECTORIES: Record<CacheName, { directory: string; without: string[] }> = {
  dependencies: { directory: 'node_modules', without: ['node_modules/.cache'] },
  build: { directory: '.next/cache', without: [] },
};

/** Length of a SHA-256 hash in hexadecimal: the stored object begins with its key. */
const KEY_LENGTH = 64;
/** Maximum packed size in bytes. Creating a larger directory again takes about as long as transferring it. */
const MAX_PACKED_BYTES = 512 * 1024 * 1024;
/**
 * Maximum unpacked size in bytes. The archive is held in memory, and a large directory must not exhaust the build's memory.
 */
const MAX_UNPACKED_BYTES = 2 * 1024 ** 3;
/**
 * zstd's fastest level packs `node_modules` to a third of its size in a tenth of gzip's time. Packages often contain the same code twice (as
 * CommonJS and as modules, for development and for production). A window of 128 MiB, the largest that zstd unpacks by default, finds such
 * repetitions, which saves another third in the same time.
 */
const LEVEL = {
  params: {
    [zlib.constants.ZSTD_c_compressionLevel]: 1,
    [zlib.constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [zlib.constants.ZSTD_c_windowLog]: 27,
  },
};
/** Size of the pieces that are passed to and from tar. With the defaults (10 and 16 KiB), passing them takes longer than unpacking. */
const PIECE_BYTES = 1024 * 1024;
const TAR_PIECE = ['-b', '512'];
/** Bytes that may be decompressed before tar takes them. Without them, each would wait for the other, and restoring would take a third longer. */
const AHEAD_BYTES = 8 * PIECE_BYTES;

export interface CacheOptions {
  /** The cloned repository. */
  directory: string;
  user: User | undefined;
  /** Opens a stored object; undefined if there is none. */
  get(name: CacheName): Promise<Readable | undefined>;
  put(name: CacheName, content: Buffer): Promise<void>;
  /** Maximum unpacked size in bytes; larger directories are not stored. */
  maxUnpackedBytes?: number;
}

export function createCache(options: CacheOptions): Cache {
  const { directory, user, get, put, maxUnpackedBytes = MAX_UNPACKED_BYTES } = options;
  const expected = new Map<CacheName, Promise<PassThrough | undefined>>();
  const pendingStores: Promise<void>[] = [];
  const keptAtEnd: [CacheName, string][] = [];
  const logError = (action: string) => (error: unknown) => {
    console.error(`the cache could not be ${action}`, error);
    return undefined;
  };
  const open = async (name: CacheName): Promise<PassThrough | undefined> => {
    const content = await get(name);
    return content && prefetch(content);
  };
  const expect = (name: CacheName): Promise<PassThrough | undefined> => {
    const found = expected.get(name) ?? open(name).catch(logError('read'));
    expected.set(name, found);
    return found;
  };
  const keep = async (name: CacheName, key: string): Promise<void> => {
    const read = readPacked(directory, name, maxUnpackedBytes, user);
    const store = async (): Promise<void> => {
      const archive = await read;
      if (!archive) return;
      const content = await promisify(zlib.zstdCompress)(archive, LEVEL);
      if (content.length <= MAX_PACKED_BYTES) await put(name, Buffer.concat([Buffer.from(key, 'latin1'), content]));
    };
    pendingStores.push(store().catch(logError('stored')));
    await Promise.allSettled([read]);
  };

  return {
    expect(name) {
      void expect(name);
    },
    async restore(name, key) {
      const content = await expect(name);
      expected.delete(name);
      const archive = content && (await openArchive(content, key).catch(logError('read')));
      if (!archive) return false;
      try {
        await unpack(archive, directory, user);
        // If a download ends between two files, tar cannot distinguish that from the end of the archive.
        if (!content.writableFinished) throw new Error('the download ended early');
        return true;
      } catch (error) {
        logError('unpacked')(error);
        await rm(join(directory, DIRECTORIES[name].directory), { recursive: true, force: true });
        return false;
      }
    },
    keep,
    keepAtEnd(name, key) {
      keptAtEnd.push([name, key]);
    },
    async close() {
      for (const [name, key] of keptAtEnd.splice(0)) await keep(name, key);
      await Promise.all(pendingStores);
    },
  };
}

/** Downloads content before it is read. The reader receives its errors. */
function prefetch(content: Readable): PassThrough {
  const ahead = new PassThrough({ highWaterMark: MAX_PACKED_BYTES });
  // Prevents an unhandled error before there is a reader, which receives the error when it reads.
  ahead.on('error', () => {});
  pipeline(content, ahead).catch(() => {});
  return ahead;
}

/** Returns the archive after an object's key. If the object has another key, returns undefined and does not read the rest. */
async function openArchive(content: Readable, key: string): Promise<AsyncIterable<Buffer> | undefined> {
  const pieces: AsyncIterator<Buffer> = content[Symbol.asyncIterator]();
  let begin = Buffer.alloc(0);
  while (begin.length < KEY_LENGTH) {
    const { value, done } = await pieces.next();
    if (done) return undefined;
    begin = Buffer.concat([begin, value]);
  }
  if (begin.toString('latin1', 0, KEY_LENGTH) !== key) {
    content.destroy();
    return undefined;
  }
  return archiveFrom(begin.subarray(KEY_LENGTH), pieces);
}

async function* archiveFrom(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** Unpacks an archive while it arrives. */
async function unpack(archive: AsyncIterable<Buffer>, directory: string, user: User | undefined): Promise<void> {
  const tar = startTar([...TAR_PIECE, '-xf', '-', '-C', directory], ['pipe', 'ignore', 'ignore'], user);
  const ended = once(tar, 'exit');
  // tar exits at the archive's end mark and may close the pipe before the padding is written, so only its exit status
  // counts.
  const decompress = zlib.createZstdDecompress({ chunkSize: PIECE_BYTES });
  const ahead = new PassThrough({ highWaterMark: AHEAD_BYTES });
  const unpacked = tar.stdin && pipeline(archive, decompress, ahead, tar.stdin);
  await Promise.allSettled([unpacked, ended]);
  await assertSuccess(ended);
}

/** Starts tar as the build user, with an environment that the user's processes may read. Its messages are discarded, because they name files. */
const startTar = (args: readonly string[], stdio: StdioOptions, user: User | undefined) =>
  startChild('tar', args, { environment: toolEnvironment(), stdio, user });

async function assertSuccess(exit: Promise<unknown[]>): Promise<void> {
  const [status] = await exit;
  if (status !== 0) throw new Error(`tar exited with ${status}`);
}

/**
 * Returns a directory as a tar archive; undefined if it exceeds the limit. The archive is held in memory as a whole, because compressing it as
 * a stream takes four times as long.
 */
async function readPacked(
  directory: string,
  name: CacheName,
  maxUnpackedBytes: number,
  user: User | undefined,
): Promise<Buffer | undefined> {
  const { directory: cached, without } = DIRECTORIES[name];
  const excluded = without.map((path) => `--exclude=${path}`);
  const tar = startTar(
    [...TAR_PIECE, '-cf', '-', ...excluded, '-C', directory, '--', cached],
    ['ignore', 'pipe', 'ignore'],
    user,
  );
  const ended = assertSuccess(once(tar, 'exit'));
  // Prevents an unhandled rejection: `ended` is not awaited if tar is killed here.
  ended.catch(() => {});
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of tar.stdout ?? []) {
    size += chunk.length;
    if (size > maxUnpackedBytes) {
      tar.kill('SIGKILL');
      return undefined;
    }
    chunks.push(chunk);
  }
  await ended;
  return Buffer.concat(chunks);
}
