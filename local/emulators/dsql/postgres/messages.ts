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

/** Reads the text at an offset, up to its zero byte. Returns it and the offset behind. */
export function readText(body: Buffer, offset = 0): [value: string, next: number] {
  const end = body.indexOf(0, offset);
  return end < 0 ? [body.toString('utf8', offset), body.length] : [body.toString('utf8', offset, end), end + 1];
}

/** A client that does not keep to the protocol; its connection ends. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

/** Splits bytes into complete messages and the incomplete rest. */
export function decode(bytes: Buffer): { messages: Message[]; rest: Buffer } {
  const messages: Message[] = [];
  let at = 0;
  while (bytes.length - at >= 5) {
    const length = bytes.readInt32BE(at + 1);
    if (length < 4) throw new ProtocolViolation('invalid message length');
    const end = at + 1 + length;
    if (end > bytes.length) break;
    messages.push({ type: String.fromCharCode(bytes[at] ?? 0), body: bytes.subarray(at + 5, end) });
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
}

/** A simple query. */
export const query = (sql: string): Buffer => encode('Q', text(sql));

/** An error as the server reports it; `code` is the SQLSTATE. */
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

/** State of a session's transaction: none, open, or failed. */
export type TransactionStatus = 'I' | 'T' | 'E';
export const readyForQuery = (status: TransactionStatus): Buffer => encode('Z', Buffer.from(status));
