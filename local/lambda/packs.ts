/**
 * Compressed copies of folders with many small files that resemble each other. The bundles take 3 MB instead of 36, and a
 * run reads them in less time than it would copy the files.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Bytes of files in one pack, which is in memory as a whole. */
const PACK_BYTES = 4 * 2 ** 20;
/** A window as large as a pack, so that a file is compressed against all before it. */
const COMPRESSION = { params: { [constants.ZSTD_c_windowLog]: Math.log2(PACK_BYTES) } };
/** Room for a pack with its list, so that its pieces need not be joined. */
const DECOMPRESSION = { chunkSize: 2 * PACK_BYTES };
/** Bytes of the length of the list of files, which follows it and precedes their contents. */
const LENGTH_BYTES = 4;

interface PackedFile {
  path: string;
  bytes: number;
}

/** Packs the files below `from` into files of the existing folder `into`. Modes and empty folders are not kept. */
export async function pack(from: string, into: string): Promise<void> {
  for (const [index, paths] of shares(from).entries()) {
    const contents = paths.map((path) => readFileSync(join(from, path)));
    const files = paths.map((path, at): PackedFile => ({ path, bytes: contents[at]?.length ?? 0 }));
    const list = Buffer.from(JSON.stringify(files));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(list.length);
    const packed = await compress(Buffer.concat([length, list, ...contents]), COMPRESSION);
    writeFileSync(join(into, `${index}.zst`), packed);
  }
}

/** Divides the files of a folder into the packs' shares. */
function shares(folder: string): string[][] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
  const shares: string[][] = [];
  let room = 0;
  for (const path of paths) {
    const { size } = statSync(join(folder, path));
    if (size > room || shares.length === 0) {
      shares.push([]);
      room = PACK_BYTES;
    }
    shares.at(-1)?.push(path);
    room -= size;
  }
  return shares;
}

/** Writes the files that {@link pack} put into the folder `from` below the folder `into`, over those that are there. */
export async function unpack(from: string, into: string): Promise<void> {
  // One pack after the other, for the memory.
  for (const name of readdirSync(from)) write(await decompress(readFileSync(join(from, name)), DECOMPRESSION), into);
}

/** Writes the files of a pack. Synchronously, which takes a tenth of the processor time. */
function write(content: Buffer, into: string): void {
  let at = LENGTH_BYTES + content.readUInt32BE();
  const files: PackedFile[] = JSON.parse(content.toString('utf8', LENGTH_BYTES, at));
  for (const { path, bytes } of files) {
    const file = join(into, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content.subarray(at, at + bytes));
    at += bytes;
  }
}
