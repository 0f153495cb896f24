import { promisify } from 'node:util';
import { crc32, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Writes ZIP archives. Each deployment waits for an archive, and yazl takes two to four times as long
 * (docs/decisions/0024-libraries.md, `npm run bench zip`).
 */

/** The fastest level halves the size in a tenth of the time of zlib's default level. */
const LEVEL = 1;
/** Minimum size for compression in another thread, in bytes. Compressing smaller content takes less time than handing it over. */
const MIN_THREADED_BYTES = 32 * 1024;
/** Bytes that another thread compresses before it interrupts this one. */
const PIECE_BYTES = 1024 * 1024;
/** 2020-01-01 00:00 in DOS format. The constant date makes archives of the same files identical. */
const DOS_DATE = ((2020 - 1980) << 9) | (1 << 5) | 1;
const STORED = 0;
const DEFLATED = 8;
/** The field "made by": Unix, so that file modes apply, and version 2.0. */
const UNIX = (3 << 8) | 20;
const UTF8_NAMES = 0x0800;
/** Maximum number of entries. More need the 64-bit format, which hosted applications never reach. */
export const MAX_ENTRIES = 0xffff;

/** The content of a file in the form in which an archive stores it. */
export interface PackedContent {
  body: Buffer;
  isDeflated: boolean;
  crc: number;
  /** Length of the uncompressed content. */
  size: number;
}

function storeSmaller(content: Buffer, deflated: Buffer): PackedContent {
  const isDeflated = deflated.length < content.length;
  return { body: isDeflated ? deflated : content, isDeflated, crc: crc32(content), size: content.length };
}

const packContent = (content: Buffer): PackedContent =>
  storeSmaller(content, deflateRawSync(content, { level: LEVEL }));

/** Packs small content synchronously, and large content in another thread, so that several files use several processors. */
export function packContentThreaded(content: Buffer): PackedContent | Promise<PackedContent> {
  if (content.length < MIN_THREADED_BYTES) return packContent(content);
  // The result keeps its whole piece in memory, however small it is.
  const chunkSize = Math.min(PIECE_BYTES, content.length);
  const deflated = promisify(deflateRaw)(content, { level: LEVEL, chunkSize });
  return deflated.then((body) => storeSmaller(content, body));
}

/** A file of an archive: its local header and content, and its entry in the central directory. */
export interface PackedFile {
  bytes: Buffer;
  entry: Buffer;
}

/**
 * Packs one file.
 * @param offset length of the archive before this file
 * @param mode the Unix mode including the file type
 */
export function packFile(path: string, content: Buffer | PackedContent, mode: number, offset: number): PackedFile {
  const name = Buffer.from(path);
  const { body, isDeflated, crc, size } = Buffer.isBuffer(content) ? packContent(content) : content;
  // The fields that the local header shares with the entry in the directory.
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(UTF8_NAMES, 2);
  common.writeUInt16LE(isDeflated ? DEFLATED : STORED, 4);
  common.writeUInt16LE(DOS_DATE, 8);
  common.writeUInt32LE(crc, 10);
  common.writeUInt32LE(body.length, 14);
  common.writeUInt32LE(size, 18);
  common.writeUInt16LE(name.length, 22);

  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(UNIX, 4);
  common.copy(entry, 6);
  entry.writeUInt32LE((mode << 16) >>> 0, 38);
  entry.writeUInt32LE(offset, 42);
  return {
    bytes: Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, body]),
    entry: Buffer.concat([entry, name]),
  };
}

/**
 * Returns the end of an archive: its central directory.
 * @param offset length of all files
 */
export function packDirectory(entries: readonly Buffer[], offset: number): Buffer {
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([directory, end]);
}

export interface Zip {
  /** @param mode the Unix mode including the file type */
  add(path: string, content: Buffer | PackedContent, mode: number): void;
  end(): Buffer;
}

/** Writes an archive in memory. */
export function createZip(): Zip {
  const chunks: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  return {
    add(path, content, mode) {
      const { bytes, entry } = packFile(path, content, mode, offset);
      chunks.push(bytes);
      entries.push(entry);
      offset += bytes.length;
    },
    end: () => Buffer.concat([...chunks, packDirectory(entries, offset)]),
  };
}

/** Sizes of the end-of-directory record, of an entry of the directory and of a local file header, without names. */
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const HEADER_BYTES = 30;

interface Directory {
  /** Length of all files, which is the offset of the directory. */
  offset: number;
  entries: Buffer[];
}

const nameOf = (entry: Buffer): string => entry.toString('utf8', ENTRY_BYTES, ENTRY_BYTES + entry.readUInt16LE(28));

/** Reads the directory of an archive that this module wrote, which has no comments. */
function readDirectory(archive: Buffer): Directory {
  const end = archive.length - END_BYTES;
  if (end < 0 || archive.readUInt32LE(end) !== 0x06054b50) throw new Error('this is no archive of the platform');
  const offset = archive.readUInt32LE(end + 16);
  const entries: Buffer[] = [];
  for (let at = offset; at < end; ) {
    const length =
      ENTRY_BYTES + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    entries.push(archive.subarray(at, at + length));
    at += length;
  }
  return { offset, entries };
}

/** Returns a file of an archive that this module wrote; undefined if there is none at the path. */
export function readPackedFile(archive: Buffer, path: string): Buffer | undefined {
  const entry = readDirectory(archive).entries.find((candidate) => nameOf(candidate) === path);
  if (!entry) return undefined;
  const header = entry.readUInt32LE(42);
  const start = header + HEADER_BYTES + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const body = archive.subarray(start, start + entry.readUInt32LE(20));
  return entry.readUInt16LE(10) === DEFLATED ? inflateRawSync(body) : body;
}

/**
 * Returns an archive that this module wrote with the content of one file replaced. The other files are not packed again. The bytes of the
 * previous content remain in the archive, but no entry of the directory refers to them.
 * @param mode the Unix mode including the file type
 */
export function replacePackedFile(archive: Buffer, path: string, content: Buffer, mode: number): Buffer {
  const { offset, entries } = readDirectory(archive);
  const { bytes, entry } = packFile(path, content, mode, offset);
  const others = entries.filter((other) => nameOf(other) !== path);
  return Buffer.concat([archive.subarray(0, offset), bytes, packDirectory([...others, entry], offset + bytes.length)]);
}
