import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';

/** An object of a repository. */
export interface GitObject {
  type: 'commit' | 'tree' | 'blob';
  data: Buffer;
}

/** An entry of a directory (Git: tree). */
export interface TreeEntry {
  /** True for a directory. */
  isTree: boolean;
  name: string;
  /** The object's id. */
  id: string;
}

/** A packfile cannot be read. */
export class InvalidPack extends Error {}

const TYPES: Readonly<Record<number, GitObject['type']>> = { 1: 'commit', 2: 'tree', 3: 'blob' };
const HEADER_BYTES = 12;
/**
 * Maximum objects of a pack, and maximum size of all objects together as a multiple of the largest allowed object: a small pack may
 * decompress to a thousand times its size.
 */
const MAX_OBJECTS = 1000;
const MAX_LARGEST_OBJECTS = 4;
const ID_BYTES = 20;

/**
 * Reads the objects of a pack by id. Source: https://git-scm.com/docs/gitformat-pack. Refuses deltas: the platform requests packs with
 * only one object of each type, which contain none.
 *
 * @param maxObjectBytes maximum size of a decompressed object
 */
export function readPack(pack: Buffer, maxObjectBytes: number): Map<string, GitObject> {
  if (pack.length < HEADER_BYTES || pack.toString('latin1', 0, 4) !== 'PACK') throw new InvalidPack('not a packfile');
  const objects = new Map<string, GitObject>();
  let at = HEADER_BYTES;
  let remaining = pack.readUInt32BE(8);
  if (remaining > MAX_OBJECTS) throw new InvalidPack('too many objects');
  let remainingBytes = MAX_LARGEST_OBJECTS * maxObjectBytes;
  for (; remaining > 0; remaining -= 1) {
    const type = TYPES[((pack[at] ?? 0) >> 4) & 7];
    if (type === undefined) throw new InvalidPack('unsupported object type');
    // Skip the size, which follows in groups of seven bits: the length of the decompressed data is the same.
    while (((pack[at] ?? 0) & 0x80) !== 0) at += 1;
    at += 1;
    const { data, length } = inflate(pack.subarray(at), Math.min(maxObjectBytes, remainingBytes));
    at += length;
    remainingBytes -= data.length;
    objects.set(idOf(type, data), { type, data });
  }
  return objects;
}

/** Decompresses the data at the start of a buffer. Also returns the number of compressed bytes. */
function inflate(bytes: Buffer, maxOutputLength: number): { data: Buffer; length: number } {
  try {
    // With `info`, Node also returns the engine, which has the number of bytes read. Its types do not declare that.
    const result: unknown = inflateSync(bytes, { maxOutputLength, info: true });
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
    return { data: buffer, length: engine.bytesWritten };
  } catch (error) {
    throw new InvalidPack(error instanceof Error ? error.message : String(error));
  }
}

/** Returns the id of an object: the SHA-1 of its type, length and content. */
const idOf = (type: string, data: Buffer): string =>
  createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex');

/** Reads the entries of a directory. */
export function readTree(data: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < data.length; ) {
    const end = data.indexOf(0, at);
    if (end < 0) throw new InvalidPack('unterminated directory entry');
    const [, mode = '', name = ''] = /^(\d+) (.*)$/s.exec(data.toString('utf8', at, end)) ?? [];
    entries.push({ isTree: mode === '40000', name, id: data.toString('hex', end + 1, end + 1 + ID_BYTES) });
    at = end + 1 + ID_BYTES;
  }
  return entries;
}
