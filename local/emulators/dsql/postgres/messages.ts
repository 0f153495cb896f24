/** Framing of PostgreSQL's protocol, version 3 (https://www.postgresql.org/docs/current/protocol-message-formats.html). */

export interface Message {
  /** One letter, such as `Q` for a query. */
  type: string;
  body: Buffer;
}

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
export const text = (value: string): Buffer => Buffer.from(`${value}\0`);

/** Encodes a message with its type and length. */
export function encode(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

/** Reads the text at an offset, up to its zero byte. Returns the text and the offset after the zero byte. */
export function readText(body: Buffer, offset = 0): [value: string, next: number] {
  const end = body.indexOf(0, offset);
  return end < 0 ? [body.toString('utf8', offset), body.length] : [body.toString('utf8', offset, end), end + 1];
}

/** Thrown when a client violates the protocol. The server closes its connection. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

/** Splits bytes into complete messages and the incomplete rest. */
export function decode(bytes: Buffer): { messages: Message[]; rest: Buffer } {
  const messages: Message[] = [];
  let offset = 0;
  while (bytes.length - offset >= 5) {
    const length = bytes.readInt32BE(offset + 1);
    if (length < 4) throw new ProtocolViolation('invalid message length');
    const end = offset + 1 + length;
    if (end > bytes.length) break;
    messages.push({ type: String.fromCharCode(bytes[offset] ?? 0), body: bytes.subarray(offset + 5, end) });
    offset = end;
  }
  return { messages, rest: bytes.subarray(offset) };
}

/** Encodes a simple query. */
export const query = (sql: string): Buffer => encode('Q', text(sql));

/** An error that the server reports. `code` is the SQLSTATE. */
export interface ServerError {
  severity?: 'ERROR' | 'FATAL';
  code: string;
  message: string;
  hint?: string;
}
export const errorResponse = ({ severity = 'ERROR', code, message, hint }: ServerError): Buffer =>
  encode(
    'E',
    ...Object.entries({ S: severity, V: severity, C: code, M: message, ...(hint ? { H: hint } : {}) }).map(
      ([field, value]) => Buffer.concat([Buffer.from(field), text(value)]),
    ),
    Buffer.from([0]),
  );

/** Status of a session's transaction: idle (none), in a transaction, or in a failed transaction. */
export type TransactionStatus = 'I' | 'T' | 'E';
export const readyForQuery = (status: TransactionStatus): Buffer => encode('Z', Buffer.from(status));
