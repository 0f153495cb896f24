import type { IncomingHttpHeaders } from 'node:http';

/**
 * An HTTP server for one kind of client, which sends requests of known length one after another on a connection. Node's own
 * server takes three times as long for a request as the table takes for the operation.
 */

/** A complete request. */
export interface RawRequest {
  method: string;
  /** Path without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A request whose body may not have arrived completely. */
interface Head {
  request: Omit<RawRequest, 'body'>;
  /** Offset of the first byte of the body. */
  bodyStart: number;
  /** Offset of the first byte after the body. */
  end: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEAD_BYTES = 64 * 1024;
/** DynamoDB's limit for a request. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Creates the buffer of a connection's unread bytes. Concatenates chunks only when they are read. */
function createReceived() {
  let chunks: Buffer[] = [];
  let size = 0;
  const join = (): Buffer => {
    const [first] = chunks;
    const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks, size);
    chunks = [bytes];
    return bytes;
  };
  return {
    add(chunk: Buffer): void {
      chunks.push(chunk);
      size += chunk.length;
    },
    size: () => size,
    join,
    /** Removes the first bytes and returns them. */
    take(length: number): Buffer {
      const bytes = join();
      size -= length;
      chunks = size > 0 ? [bytes.subarray(length)] : [];
      return bytes.subarray(0, length);
    },
  };
}

/**
 * Returns a function that receives a connection's bytes and calls `onRequest` with each complete request and its bytes. It
 * returns false if the bytes are not an HTTP request with a length. AWS clients always send the length, because they sign the body.
 */
export function createRequestReader(
  onRequest: (request: RawRequest, bytes: Buffer) => void,
): (chunk: Buffer) => boolean {
  const received = createReceived();
  let head: Head | undefined;
  return (chunk) => {
    received.add(chunk);
    while (received.size() > 0) {
      if (!head) {
        const bytes = received.join();
        const headEnd = bytes.indexOf(HEAD_END);
        if (headEnd < 0) return received.size() < MAX_HEAD_BYTES;
        head = parseHead(bytes, headEnd);
        if (!head) return false;
      }
      const { request, bodyStart, end } = head;
      if (received.size() < end) return true;
      head = undefined;
      const bytes = received.take(end);
      onRequest({ ...request, body: bytes.subarray(bodyStart) }, bytes);
    }
    return true;
  };
}

function parseHead(bytes: Buffer, headEnd: number): Head | undefined {
  const [start = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [method = '', target = ''] = start.split(' ');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const length = Number(headers['content-length'] ?? 0);
  if (!Number.isSafeInteger(length) || length < 0 || length > MAX_BODY_BYTES) return undefined;
  if (headers['transfer-encoding'] !== undefined) return undefined;
  const [path = '/', query = ''] = target.split('?');
  const bodyStart = headEnd + HEAD_END.length;
  return {
    request: { method, path, query: new URLSearchParams(query), headers },
    bodyStart,
    end: bodyStart + length,
  };
}

/** Returns the bytes of a response. */
export function encodeResponse(status: number, headers: Readonly<Record<string, string>>, body: string): string {
  let head = `HTTP/1.1 ${status} ${status < 400 ? 'OK' : 'Error'}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The response to requests that do not come from the platform: from a browser, or without a length. */
export const REFUSAL = encodeResponse(
  403,
  { 'content-type': 'text/plain', connection: 'close' },
  'Only the platform may call an emulator, at its own host name, with requests of a known length.\n',
);
