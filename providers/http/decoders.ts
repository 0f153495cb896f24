import type { Transform } from 'node:stream';
import type * as Zlib from 'node:zlib';
import { entryOf } from '../../contract/enums.ts';

/** Bytes of each piece of a decoded body. */
interface DecoderOptions {
  chunkSize?: number;
}

const CODINGS: Readonly<Record<string, (zlib: typeof Zlib, options: DecoderOptions) => Transform>> = {
  gzip: (zlib, options) => zlib.createGunzip(options),
  'x-gzip': (zlib, options) => zlib.createGunzip(options),
  deflate: (zlib, options) => zlib.createInflate(options),
  br: (zlib, options) => zlib.createBrotliDecompress(options),
  zstd: (zlib, options) => zlib.createZstdDecompress(options),
};

/** Returns the content coding of a body in lower case; undefined for a body that is sent as it is. */
export function contentCoding(headers: Readonly<Record<string, unknown>>): string | undefined {
  const coding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  return coding === '' || coding === 'identity' ? undefined : coding;
}

/** Returns a stream that decodes a content coding; undefined if the coding is unknown. Loads node:zlib with the first coded body. */
export const createDecoder = (coding: string, options: DecoderOptions = {}): Transform | undefined =>
  entryOf(CODINGS, coding)?.(process.getBuiltinModule('node:zlib'), options);
