import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { inflateRawSync } from 'node:zlib';
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

/** The code of all functions: archives in the data directory, unpacked when a version starts. */
export interface CodeStore {
  /** Stores an archive. Refuses invalid archives, and ones that exceed Lambda's limits together with their layers. */
  add(zip: Buffer, layers: number): Promise<Code>;
  /** Returns the directory with the unpacked archive, which is never modified. */
  directory(sha256: string): Promise<string>;
  /** Removes archives that were in use before and are not among these. */
  keepOnly(sha256s: Iterable<string>): void;
}

export function openCodeStore(dataDir: string): CodeStore {
  const archives = join(dataDir, 'app-code');
  mkdirSync(archives, { recursive: true });
  const unpacked = workspace(dataDir, 'apps');
  const name = (sha256: string) => Buffer.from(sha256, 'base64').toString('hex');
  const unpacking = new Map<string, Promise<string>>();
  // Everything on disk counts as in use until the first call of `keepOnly`.
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
      // A concurrent call may have been first. An error that does not come from the file system means an invalid
      // archive.
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
    keepOnly(sha256s) {
      const used = new Set([...sha256s].map(name));
      for (const old of known) {
        if (used.has(old)) continue;
        rmSync(join(archives, `${old}.zip`), { force: true });
        void discard(join(unpacked, old));
      }
      known = used;
    },
  };
}

/** Returns the size of an archive's files, as its directory states them; unpacking holds each file to it. */
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

/** Number of files written concurrently. */
const CONCURRENCY = 32;
const SYMLINK = 0o120000;
const FORMAT = 0o170000;

/** Unpacks an archive; never writes outside `target`. */
async function unzip(zip: Buffer, target: string): Promise<void> {
  const archive = await fromBufferPromise(zip, { lazyEntries: true });
  const made = new Set<string>();
  // Links are created last, so that nothing is written through a link.
  const links: [file: string, points: string][] = [];
  const files: UnpackedFile[] = [];
  for await (const entry of archive.eachEntry()) {
    const file = resolve(target, entry.fileName);
    if (entry.fileName.endsWith('/')) {
      await mkdir(file, { recursive: true });
      continue;
    }
    const parent = dirname(file);
    if (!made.has(parent)) await mkdir(parent, { recursive: true });
    made.add(parent);
    const content = await bytesOf(zip, archive, entry);
    const mode = entry.externalFileAttributes >>> 16;
    if ((mode & FORMAT) === SYMLINK) links.push([file, content.toString('utf8')]);
    else files.push({ file, content, mode: mode & 0o777 || 0o644 });
    if (files.length >= CONCURRENCY) await writeFiles(files.splice(0));
  }
  await writeFiles(files);
  for (const [file, linkTarget] of links) await createLink(linkTarget, file, target);
}

interface UnpackedFile {
  file: string;
  content: Buffer;
  mode: number;
}

/** Writes files concurrently. Throws when no other is being written any more, into a directory that the caller then removes. */
async function writeFiles(files: readonly UnpackedFile[]): Promise<void> {
  const writing = files.map(({ file, content, mode }) => writeFile(file, content, { mode }));
  await Promise.allSettled(writing);
  await Promise.all(writing);
}

/** Reads an entry from the archive in memory: inflating a slice is many times faster than a stream per file. */
async function bytesOf(
  zip: Buffer,
  archive: Awaited<ReturnType<typeof fromBufferPromise>>,
  entry: Entry,
): Promise<Buffer> {
  const { fileDataStart } = await archive.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = zip.subarray(fileDataStart, fileDataStart + entry.compressedSize);
  return entry.compressionMethod === 0
    ? packed
    : inflateRawSync(packed, { maxOutputLength: entry.uncompressedSize || 1 });
}

async function createLink(linkTarget: string, file: string, root: string): Promise<void> {
  const inside = relative(root, resolve(dirname(file), linkTarget));
  if (inside === '..' || inside.startsWith(`..${sep}`))
    throw refused(`The link ${relative(root, file)} points out of the archive.`);
  await symlink(linkTarget, file);
}

const refused = (message: string) => new ServiceError('InvalidParameterValueException', message);
const notAnArchive = () => refused('Could not unzip uploaded file. Please check your file, then try to upload again.');
