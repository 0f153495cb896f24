import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { inflateRaw, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise } from 'yauzl';
import { ServiceError } from '../wire.ts';
import { discard, workspace } from '../workspace.ts';
import { assertUnpackedSize } from './limits.ts';

/** An uploaded archive. */
export interface Code {
  /** SHA-256 in base64, as Lambda returns it. */
  sha256: string;
  size: number;
}

/** The code of all functions, as archives in the data directory and as directories with their content. */
export interface CodeStore {
  /** Stores an archive. Throws if it is invalid, or if it exceeds Lambda's limits together with its layers. */
  add(zip: Buffer, layers: number): Promise<Code>;
  /** Returns the directory of an unpacked archive, which must not be modified. */
  directory(sha256: string): Promise<string>;
  /** Removes all archives except those in use. Archives that were added since the previous call remain until the next one. */
  removeUnused(inUse: Iterable<string>): void;
}

export function openCodeStore(dataDir: string): CodeStore {
  const archives = join(dataDir, 'app-code');
  mkdirSync(archives, { recursive: true });
  const unpacked = workspace(dataDir, 'apps');
  const name = (sha256: string) => Buffer.from(sha256, 'base64').toString('hex');
  const unpacking = new Map<string, Promise<string>>();
  // Everything on disk counts as in use until the first call of `removeUnused`.
  let known = new Set([...readdirSync(archives), ...readdirSync(unpacked)].map((file) => file.replace(/\.zip$/, '')));

  const unpackInto = async (zip: Buffer, target: string): Promise<string> => {
    if (existsSync(target)) return target;
    // Unpacked under another name and renamed, so that a directory is never incomplete.
    const partial = `${target}.${randomUUID()}`;
    try {
      await unzip(zip, partial);
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      // A concurrent call may have been faster. An error that does not come from the file system means that the archive is
      // invalid.
      if (existsSync(target)) return target;
      throw error instanceof ServiceError || (error instanceof Error && 'syscall' in error) ? error : notAnArchive();
    }
    return target;
  };

  const directory = (sha256: string, zip?: Buffer): Promise<string> => {
    const running = unpacking.get(sha256);
    if (running) return running;
    const archive = join(archives, `${name(sha256)}.zip`);
    const started = unpackInto(zip ?? readFileSync(archive), join(unpacked, name(sha256)));
    unpacking.set(sha256, started);
    void started.catch(() => {}).finally(() => unpacking.delete(sha256));
    return started;
  };

  return {
    directory: (sha256) => directory(sha256),
    async add(zip, layers) {
      assertUnpackedSize(await unpackedBytes(zip), layers);
      const sha256 = createHash('sha256').update(zip).digest('base64');
      await directory(sha256, zip);
      writeFileSync(join(archives, `${name(sha256)}.zip`), zip);
      return { sha256, size: zip.length };
    },
    removeUnused(inUse) {
      const used = new Set([...inUse].map(name));
      for (const old of known) {
        if (used.has(old)) continue;
        rmSync(join(archives, `${old}.zip`), { force: true });
        void discard(join(unpacked, old));
      }
      known = used;
    },
  };
}

/** Returns the total size of an archive's files according to its directory. Unpacking fails for files that are larger. */
async function unpackedBytes(zip: Buffer): Promise<number> {
  let total = 0;
  try {
    const archive = await fromBufferPromise(zip, { lazyEntries: true });
    for await (const { uncompressedSize } of archive.eachEntry()) total += uncompressedSize;
  } catch {
    throw notAnArchive();
  }
  return total;
}

/** Number of files unpacked concurrently. */
const CONCURRENCY = 32;
/** Minimum size for decompression in another thread, in bytes. Decompressing smaller files takes less time than handing them over. */
const MIN_THREADED_BYTES = 64 * 1024;
const SYMLINK = 0o120000;
const FORMAT = 0o170000;
const inflateThreaded = promisify(inflateRaw);

/** Unpacks an archive. Never writes outside of `target`. */
async function unzip(zip: Buffer, target: string): Promise<void> {
  const archive = await fromBufferPromise(zip, { lazyEntries: true });
  const entries: Entry[] = [];
  for await (const entry of archive.eachEntry()) entries.push(entry);
  const createdDirectories = new Set<string>();
  const create = async (directory: string): Promise<void> => {
    if (!createdDirectories.has(directory)) await mkdir(directory, { recursive: true });
    createdDirectories.add(directory);
  };
  // Links are created last, so that no file is written through a link.
  const links: [file: string, linkTarget: string][] = [];
  const unpackEntry = async (entry: Entry): Promise<void> => {
    const file = resolve(target, entry.fileName);
    if (entry.fileName.endsWith('/')) return create(file);
    await create(dirname(file));
    const content = await bytesOf(zip, archive, entry);
    const mode = entry.externalFileAttributes >>> 16;
    if ((mode & FORMAT) === SYMLINK) links.push([file, content.toString('utf8')]);
    else await writeFile(file, content, { mode: mode & 0o777 || 0o644 });
  };
  const remaining = entries.values();
  const work = async (): Promise<void> => {
    for (const entry of remaining) await unpackEntry(entry);
  };
  const working = Array.from({ length: CONCURRENCY }, work);
  // If a file fails, throws only after all others have ended, because the caller then removes the directory.
  await Promise.allSettled(working);
  await Promise.all(working);
  for (const [file, linkTarget] of links) await createLink(linkTarget, file, target);
}

/** Returns the content of an entry. Inflating a slice of the archive is many times faster than a stream per file. */
async function bytesOf(
  zip: Buffer,
  archive: Awaited<ReturnType<typeof fromBufferPromise>>,
  entry: Entry,
): Promise<Buffer> {
  const { fileDataStart } = await archive.readLocalFileHeaderPromise(entry, { minimal: true });
  const { compressedSize, compressionMethod, uncompressedSize } = entry;
  const packed = zip.subarray(fileDataStart, fileDataStart + compressedSize);
  if (compressionMethod === 0) return packed;
  const maxOutputLength = uncompressedSize || 1;
  if (uncompressedSize < MIN_THREADED_BYTES) return inflateRawSync(packed, { maxOutputLength });
  // One piece, so that the thread does not wait for this one between two pieces.
  return inflateThreaded(packed, { maxOutputLength, chunkSize: uncompressedSize });
}

async function createLink(linkTarget: string, file: string, root: string): Promise<void> {
  const inside = relative(root, resolve(dirname(file), linkTarget));
  if (inside === '..' || inside.startsWith(`..${sep}`))
    throw refused(`The link ${relative(root, file)} points out of the archive.`);
  await symlink(linkTarget, file);
}

const refused = (message: string) => new ServiceError('InvalidParameterValueException', message);
const notAnArchive = () => refused('Could not unzip uploaded file. Please check your file, then try to upload again.');
