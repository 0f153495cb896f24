import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';

/** An object of a repository. */
export interface GitObject {
  type: 'commit' | 'tree' | 'blob';
  data: Buffer;
}

/** An entry of a directory. */
export interface TreeEntry {
  /** True for a directory. */
  isTree: boolean;
  name: string;
  /** Id of the object. */
  id: string;
}

/** A pack that cannot be read. */
export class InvalidPack extends Error {}

const TYPES: Readonly<Record<number, GitObject['type']>> = { 1: 'commit', 2: 'tree', 3: 'blob' };
const HEADER_BYTES = 12;
/** Objects of a pack, and their size together in largest objects: a small pack may unfold to a thousand times its size. */
const MAX_OBJECTS = 1000;
const MAX_LARGEST_OBJECTS = 4;
const ID_BYTES = 20;

/**
 * Reads the objects of a pack, by id. Source: https://git-scm.com/docs/gitformat-pack. Deltas are refused: a pack of one
 * object per type, which is all that is asked for, has none.
 *
 * @param maxObjectBytes largest object that is decompressed
 */
export function readPack(pack: Buffer, maxObjectBytes: number): Map<string, GitObject> {
  if (pack.length < HEADER_BYTES || pack.toString('latin1', 0, 4) !== 'PACK') throw new InvalidPack('no pack');
  const objects = new Map<string, GitObject>();
  let at = HEADER_BYTES;
  let left = pack.readUInt32BE(8);
  if (left > MAX_OBJECTS) throw new InvalidPack('too many objects');
  let bytesLeft = MAX_LARGEST_OBJECTS * maxObjectBytes;
  for (; left > 0; left -= 1) {
    const type = TYPES[((pack[at] ?? 0) >> 4) & 7];
    if (type === undefined) throw new InvalidPack('an object of another type');
    // The size follows in groups of seven bits; the decompressed data has it as well.
    while (((pack[at] ?? 0) & 0x80) !== 0) at += 1;
    at += 1;
    const { data, length } = inflate(pack.subarray(at), Math.min(maxObjectBytes, bytesLeft));
    at += length;
    bytesLeft -= data.length;
    objects.set(idOf(type, data), { type, data });
  }
  return objects;
}

/** Decompresses the data at the start of a buffer. Returns the number of compressed bytes too. */
function inflate(bytes: Buffer, maxOutputLength: number): { data: Buffer; length: number } {
  try {
    // With `info`, Node returns the engine, which knows how much it has read; its types do not say so.
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
    if (end < 0) throw new InvalidPack('a directory without an end');
    const [, mode = '', name = ''] = /^(\d+) (.*)$/s.exec(data.toString('utf8', at, end)) ?? [];
    entries.push({ isTree: mode === '40000', name, id: data.toString('hex', end + 1, end + 1 + ID_BYTES) });
    at = end + 1 + ID_BYTES;
  }
  return entries;
}
