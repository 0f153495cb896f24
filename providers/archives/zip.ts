import { promisify } from 'node:util';
import { crc32, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Writes ZIP archives. Each deployment waits for one, and yazl takes two to four times as long
 * (docs/decisions/0024-libraries.md, `npm run bench zip`).
 */

/** The fastest level halves the size in a tenth of the time of zlib's default level. */
const LEVEL = 1;
/** Smaller content is compressed sooner than it is handed to another thread, in bytes. */
const MIN_BESIDE_BYTES = 32 * 1024;
/** Bytes that another thread compresses between two interruptions of this one. */
const PIECE_BYTES = 64 * 1024;
/** 2020-01-01 00:00 in DOS format. The constant date makes archives of the same files identical. */
const DOS_DATE = ((2020 - 1980) << 9) | (1 << 5) | 1;
const STORED = 0;
const DEFLATED = 8;
/** The field "made by": Unix, so that file modes apply, and version 2.0. */
const UNIX = (3 << 8) | 20;
const UTF8_NAMES = 0x0800;
/** Maximum number of entries. More need the 64-bit format, which hosted applications never reach. */
export const MAX_ENTRIES = 0xffff;

/** The content of a file as an archive has it. */
export interface PackedContent {
  body: Buffer;
  isDeflated: boolean;
  crc: number;
  /** Length of the content itself. */
  size: number;
}

function smallerOf(content: Buffer, deflated: Buffer): PackedContent {
  const isDeflated = deflated.length < content.length;
  return { body: isDeflated ? deflated : content, isDeflated, crc: crc32(content), size: content.length };
}

const packContent = (content: Buffer): PackedContent => smallerOf(content, deflateRawSync(content, { level: LEVEL }));

/** Packs content: a large one in another thread, so that several use as many processors; a small one at once. */
export function packContentBeside(content: Buffer): PackedContent | Promise<PackedContent> {
  if (content.length < MIN_BESIDE_BYTES) return packContent(content);
  const deflated = promisify(deflateRaw)(content, { level: LEVEL, chunkSize: PIECE_BYTES });
  return deflated.then((body) => smallerOf(content, body));
}

/** A file of an archive: its bytes there, and its line in the directory at the archive's end. */
export interface PackedFile {
  bytes: Buffer;
  line: Buffer;
}

/**
 * Packs one file.
 * @param offset the length of the archive before it
 * @param mode the Unix mode including the file type
 */
export function packFile(path: string, content: Buffer | PackedContent, mode: number, offset: number): PackedFile {
  const name = Buffer.from(path);
  const { body, isDeflated, crc, size } = Buffer.isBuffer(content) ? packContent(content) : content;
  // The part that the entry's header shares with its line in the directory.
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(UTF8_NAMES, 2);
  common.writeUInt16LE(isDeflated ? DEFLATED : STORED, 4);
  common.writeUInt16LE(DOS_DATE, 8);
  common.writeUInt32LE(crc, 10);
  common.writeUInt32LE(body.length, 14);
  common.writeUInt32LE(size, 18);
  common.writeUInt16LE(name.length, 22);

  const line = Buffer.alloc(46);
  line.writeUInt32LE(0x02014b50, 0);
  line.writeUInt16LE(UNIX, 4);
  common.copy(line, 6);
  line.writeUInt32LE((mode << 16) >>> 0, 38);
  line.writeUInt32LE(offset, 42);
  return {
    bytes: Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, body]),
    line: Buffer.concat([line, name]),
  };
}

/**
 * Returns the end of an archive: its directory.
 * @param offset the length of all files
 */
export function packDirectory(lines: readonly Buffer[], offset: number): Buffer {
  const directory = Buffer.concat(lines);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(lines.length, 8);
  end.writeUInt16LE(lines.length, 10);
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
  const lines: Buffer[] = [];
  let offset = 0;
  return {
    add(path, content, mode) {
      const { bytes, line } = packFile(path, content, mode, offset);
      chunks.push(bytes);
      lines.push(line);
      offset += bytes.length;
    },
    end: () => Buffer.concat([...chunks, packDirectory(lines, offset)]),
  };
}

/** Sizes of the end of an archive, of a line of its directory and of the header before a file, without names. */
const END_BYTES = 22;
const LINE_BYTES = 46;
const HEADER_BYTES = 30;

interface Directory {
  /** Length of all files, which is where the directory begins. */
  offset: number;
  lines: Buffer[];
}

const nameOf = (line: Buffer): string => line.toString('utf8', LINE_BYTES, LINE_BYTES + line.readUInt16LE(28));

/** Reads the directory of an archive of this module: it has no comments. */
function readDirectory(archive: Buffer): Directory {
  const end = archive.length - END_BYTES;
  if (end < 0 || archive.readUInt32LE(end) !== 0x06054b50) throw new Error('this is no archive of the platform');
  const offset = archive.readUInt32LE(end + 16);
  const lines: Buffer[] = [];
  for (let at = offset; at < end; ) {
    const length =
      LINE_BYTES + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    lines.push(archive.subarray(at, at + length));
    at += length;
  }
  return { offset, lines };
}

/** Returns a file of an archive of this module; undefined if it has none at the path. */
export function readPackedFile(archive: Buffer, path: string): Buffer | undefined {
  const line = readDirectory(archive).lines.find((each) => nameOf(each) === path);
  if (!line) return undefined;
  const header = line.readUInt32LE(42);
  const begin = header + HEADER_BYTES + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const body = archive.subarray(begin, begin + line.readUInt32LE(20));
  return line.readUInt16LE(10) === DEFLATED ? inflateRawSync(body) : body;
}

/**
 * Returns an archive of this module with another content of one file. The others are not packed again, and the bytes of the
 * earlier content stay where no line of the directory leads.
 * @param mode the Unix mode including the file type
 */
export function replacePackedFile(archive: Buffer, path: string, content: Buffer, mode: number): Buffer {
  const { offset, lines } = readDirectory(archive);
  const { bytes, line } = packFile(path, content, mode, offset);
  const others = lines.filter((each) => nameOf(each) !== path);
  return Buffer.concat([archive.subarray(0, offset), bytes, packDirectory([...others, line], offset + bytes.length)]);
}
