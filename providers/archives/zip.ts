import { crc32, deflateRawSync } from 'node:zlib';

/**
 * Writes ZIP archives. Each deployment waits for one, and yazl takes two to four times as long
 * (docs/decisions/0024-libraries.md, `npm run bench zip`).
 */

/** The fastest level halves the size in a tenth of the time of zlib's default level. */
const LEVEL = 1;
/** 2020-01-01 00:00 in DOS format. The constant date makes archives of the same files identical. */
const DOS_DATE = ((2020 - 1980) << 9) | (1 << 5) | 1;
const STORED = 0;
const DEFLATED = 8;
/** The field "made by": Unix, so that file modes apply, and version 2.0. */
const UNIX = (3 << 8) | 20;
const UTF8_NAMES = 0x0800;
/** Maximum number of entries. More need the 64-bit format, which hosted applications never reach. */
export const MAX_ENTRIES = 0xffff;

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
export function packFile(path: string, content: Buffer, mode: number, offset: number): PackedFile {
  const name = Buffer.from(path);
  const packed = deflateRawSync(content, { level: LEVEL });
  const smaller = packed.length < content.length;
  const body = smaller ? packed : content;
  // The part that the entry's header shares with its line in the directory.
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(UTF8_NAMES, 2);
  common.writeUInt16LE(smaller ? DEFLATED : STORED, 4);
  common.writeUInt16LE(DOS_DATE, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(body.length, 14);
  common.writeUInt32LE(content.length, 18);
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
  add(path: string, content: Buffer, mode: number): void;
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
