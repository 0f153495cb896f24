import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise } from 'yauzl';
import { ServiceError } from './wire.ts';
import { workspace } from './workspace.ts';

/** What Lambda takes, unpacked. */
const LARGEST = 262_144_000;

/** One uploaded archive. */
export interface Code {
  /** As Lambda gives it: base64. */
  sha256: string;
  size: number;
}

/** The code of all functions: archives in the data directory, unpacked when a version needs to run. */
export interface CodeStore {
  /** Takes in an archive; refuses what is not one, or unpacks to more than Lambda takes. */
  add(zip: Buffer): Promise<Code>;
  /** The directory with the unpacked archive. It is never changed. */
  directory(sha256: string): Promise<string>;
  /** The archives in use: those that were in use the last time, and are no longer, are removed. */
  keepOnly(sha256s: ReadonlySet<string>): void;
}

export function openCodeStore(dataDir: string): CodeStore {
  const archives = join(dataDir, 'app-code');
  mkdirSync(archives, { recursive: true });
  const unpacked = workspace(dataDir, 'apps');
  const name = (sha256: string) => Buffer.from(sha256, 'base64').toString('hex');
  const unpacking = new Map<string, Promise<string>>();
  let known: ReadonlySet<string> = new Set();

  const unpackInto = async (zip: Buffer, target: string): Promise<string> => {
    if (existsSync(target)) return target;
    // Under another name first, so that a directory is whole or not there.
    const partial = `${target}.${randomUUID()}`;
    try {
      await unzip(zip, partial);
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
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
    async add(zip) {
      const sha256 = createHash('sha256').update(zip).digest('base64');
      await directory(sha256, zip);
      writeFileSync(join(archives, `${name(sha256)}.zip`), zip);
      return { sha256, size: zip.length };
    },
    keepOnly(sha256s) {
      for (const sha256 of known) {
        if (sha256s.has(sha256)) continue;
        rmSync(join(archives, `${name(sha256)}.zip`), { force: true });
        rmSync(join(unpacked, name(sha256)), { recursive: true, force: true });
      }
      known = sha256s;
    },
  };
}

const SYMLINK = 0o120000;
const FORMAT = 0o170000;

/** Unpacks an archive, never outside of `target`. */
async function unzip(zip: Buffer, target: string): Promise<void> {
  const archive = await fromBufferPromise(zip, { lazyEntries: true }).catch(() => {
    throw refused('Could not unzip uploaded file. Please check your file, then try to upload again.');
  });
  let total = 0;
  const made = new Set<string>();
  // Links come last: nothing is ever written through one.
  const links: [file: string, points: string][] = [];
  for await (const entry of archive.eachEntry()) {
    const file = resolve(target, entry.fileName);
    if (entry.fileName.endsWith('/')) {
      await mkdir(file, { recursive: true });
      continue;
    }
    total += entry.uncompressedSize;
    if (total > LARGEST) throw refused(`Unzipped size must be smaller than ${LARGEST} bytes`);
    const parent = dirname(file);
    if (!made.has(parent)) await mkdir(parent, { recursive: true });
    made.add(parent);
    const content = await bytesOf(zip, archive, entry);
    const mode = entry.externalFileAttributes >>> 16;
    if ((mode & FORMAT) === SYMLINK) links.push([file, content.toString('utf8')]);
    else await writeFile(file, content, { mode: mode & 0o777 || 0o644 });
  }
  for (const [file, points] of links) await link(points, file, target);
}

/** The whole archive is in memory: inflating a slice is many times faster than a stream for each file. */
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

async function link(points: string, file: string, root: string): Promise<void> {
  const inside = relative(root, resolve(dirname(file), points));
  if (inside === '..' || inside.startsWith(`..${sep}`))
    throw refused(`The link ${relative(root, file)} points out of the archive.`);
  await symlink(points, file);
}

const refused = (message: string) => new ServiceError('InvalidParameterValueException', message);
