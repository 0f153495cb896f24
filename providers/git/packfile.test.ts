import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { InvalidPack, readPack } from './packfile.ts';

const MIB = 1024 * 1024;

/** Makes a pack of blobs. */
function packOf(blobs: readonly Buffer[]): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(blobs.length, 8);
  // A size in the type's byte alone: the reader takes that of the data.
  return Buffer.concat([head, ...blobs.flatMap((blob) => [Buffer.from([0x30]), deflateSync(blob)])]);
}

test('reads the objects of a pack', () => {
  const objects = readPack(packOf([Buffer.from('one'), Buffer.from('two')]), MIB);
  expect([...objects.values()].map(({ type, data }) => [type, String(data)])).toEqual([
    ['blob', 'one'],
    ['blob', 'two'],
  ]);
});

test('refuses a small pack that decompresses to more than four times the largest object', () => {
  const blobs = Array.from({ length: 5 }, (_, at) => Buffer.alloc(MIB, at));
  expect(readPack(packOf(blobs.slice(1)), MIB).size).toBe(4);
  expect(packOf(blobs).length).toBeLessThan(8 * 1024);
  expect(() => readPack(packOf(blobs), MIB)).toThrow(InvalidPack);
});

test('refuses a pack with too many objects', () => {
  const blobs = Array.from({ length: 1001 }, (_, at) => Buffer.from(String(at)));
  expect(readPack(packOf(blobs.slice(1)), MIB).size).toBe(1000);
  expect(() => readPack(packOf(blobs), MIB)).toThrow('too many objects');
});
