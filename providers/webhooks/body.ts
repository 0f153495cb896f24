import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { entryOf } from '../../contract/enums.ts';

/** At most this much of the decompressed body is read; the rest is cut off with the connection. */
const MAX_READ_BYTES = 64 * 1024;
/** At most this much is kept, in bytes of UTF-8. */
const MAX_KEPT_BYTES = 8 * 1024;

/** Small output chunks: a bomb is noticed before it has filled more than one. */
const BOUNDED = { chunkSize: 16 * 1024 };
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(BOUNDED),
  'x-gzip': () => createGunzip(BOUNDED),
  deflate: () => createInflate(BOUNDED),
  br: () => createBrotliDecompress(BOUNDED),
  zstd: () => createZstdDecompress(BOUNDED),
};

export interface ReadBody {
  /** The start of the body as text. */
  text: string;
  /** Why the answer broke while it was being read: then even a 2xx was no answer. */
  broken?: unknown;
}

/** The first `max` bytes as text, never ending in half a character and never longer once encoded again. */
export function truncateText(bytes: Buffer, max = MAX_KEPT_BYTES): string {
  let text = bytes.subarray(0, max).toString('utf8');
  while (Buffer.byteLength(text) > max) text = text.slice(0, -Math.ceil((Buffer.byteLength(text) - max) / 3));
  return bytes.length > max ? text.replace(/\uFFFD{1,3}$/, '') : text;
}

/** Returns the decoded body, and whether the answer ended without a byte of it: such as a 204 that names a coding. */
function decodeBody(answer: IncomingMessage): { stream: Readable; isEmpty: () => boolean } {
  const coding = (answer.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = entryOf(DECODERS, coding)?.();
  if (!decoder) return { stream: answer, isEmpty: () => false };
  let hasBytes = false;
  answer.once('data', () => {
    hasBytes = true;
  });
  answer.on('error', (error) => decoder.destroy(error));
  return { stream: answer.pipe(decoder), isEmpty: () => answer.complete && !hasBytes };
}

/** Reads an answer's body as far as it may be, and stops. Rejects only when the signal does. */
export async function readBody(answer: IncomingMessage, signal: AbortSignal): Promise<ReadBody> {
  const { stream, isEmpty } = decodeBody(answer);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: true })) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length >= MAX_READ_BYTES) break;
    }
    return { text: truncateText(Buffer.concat(chunks)) };
  } catch (error) {
    signal.throwIfAborted();
    if (isEmpty()) return { text: '' };
    return { text: truncateText(Buffer.concat(chunks)), broken: error };
  } finally {
    answer.destroy();
  }
}
