import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { contentCoding, createDecoder } from '../http/decoders.ts';

/** Maximum bytes of the decompressed body that are read. Then the connection is closed. */
const MAX_READ_BYTES = 64 * 1024;
/** Maximum bytes of the body that are kept, in UTF-8. */
const MAX_KEPT_BYTES = 8 * 1024;

/** Small output chunks, so that a decompression bomb is detected before it fills more than one chunk. */
const BOUNDED = { chunkSize: 16 * 1024 };

export interface ReadBody {
  /** The start of the body as text. */
  text: string;
  /** The error that interrupted the response while it was read. Then even a 2xx does not count as a response. */
  broken?: unknown;
}

/** Returns the first `max` bytes as text. The text never ends in an incomplete character, and its UTF-8 encoding is never longer than `max`. */
export function truncateText(bytes: Buffer, max = MAX_KEPT_BYTES): string {
  let text = bytes.subarray(0, max).toString('utf8');
  while (Buffer.byteLength(text) > max) text = text.slice(0, -Math.ceil((Buffer.byteLength(text) - max) / 3));
  return bytes.length > max ? text.replace(/\uFFFD{1,3}$/, '') : text;
}

/** Returns the decoded body. `isEmpty` returns true if the response ended without any body, such as a 204 with a content coding. */
function decodeBody(answer: IncomingMessage): { stream: Readable; isEmpty: () => boolean } {
  const coding = contentCoding(answer.headers);
  const decoder = coding === undefined ? undefined : createDecoder(coding, BOUNDED);
  if (!decoder) return { stream: answer, isEmpty: () => false };
  let hasBytes = false;
  answer.once('data', () => {
    hasBytes = true;
  });
  answer.on('error', (error) => decoder.destroy(error));
  return { stream: answer.pipe(decoder), isEmpty: () => answer.complete && !hasBytes };
}

/** Reads a response's body up to the limit. Rejects only if the signal is aborted. */
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
