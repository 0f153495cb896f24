/** A client's first message (https://www.postgresql.org/docs/current/protocol-message-formats.html). */

import { ProtocolViolation } from './messages.ts';

export const [CANCEL_REQUEST, PROTOCOL_3] = [80877102, 3];

/** Parameters of a startup message that are not settings of the session. */
const NOT_SETTINGS: readonly string[] = ['user', 'database', 'replication', 'options'];

/** User and database of a client, and the settings of its session. */
export interface Client {
  user: string;
  database: string;
  settings: Map<string, string>;
}

export type StartupRequest =
  | { kind: 'cancel'; session: string }
  | { kind: 'unsupported' }
  /** `isNewer`: the client supports a later minor version of the protocol. */
  | { kind: 'start'; client: Client; isNewer: boolean };

/** Returns the key of a session: its id and the secret that a cancel request must contain. */
export const sessionKey = (id: number, secret: number): string => `${id}:${secret}`;
export const readSessionKey = (bytes: Buffer, offset: number): string =>
  sessionKey(bytes.readInt32BE(offset), bytes.readInt32BE(offset + 4));

/** Reads a startup message. Returns it with the remaining bytes; undefined until it is complete. */
export function readStartup(bytes: Buffer): { request: StartupRequest; rest: Buffer } | undefined {
  if (bytes.length < 8) return undefined;
  const length = bytes.readInt32BE(0);
  if (length < 8) throw new ProtocolViolation('invalid length of startup packet');
  if (bytes.length < length) return undefined;
  const body = bytes.subarray(4, length);
  return { request: requestOf(body), rest: bytes.subarray(body.length + 4) };
}

function requestOf(body: Buffer): StartupRequest {
  const code = body.readInt32BE(0);
  if (code === CANCEL_REQUEST && body.length < 12) throw new ProtocolViolation('invalid length of startup packet');
  if (code === CANCEL_REQUEST) return { kind: 'cancel', session: readSessionKey(body, 4) };
  if (code >> 16 !== PROTOCOL_3) return { kind: 'unsupported' };
  return { kind: 'start', client: clientOf(parametersOf(body.subarray(4))), isNewer: (code & 0xffff) > 0 };
}

/** Reads alternating names and values, up to an empty name. */
function parametersOf(body: Buffer): Map<string, string> {
  const fields = body.toString('utf8').split('\0');
  const parameters = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length && fields[at]; at += 2) {
    parameters.set(fields[at] ?? '', fields[at + 1] ?? '');
  }
  return parameters;
}

function clientOf(parameters: Map<string, string>): Client {
  const user = parameters.get('user') ?? '';
  return {
    user,
    database: parameters.get('database') ?? user,
    settings: new Map([...parameters].filter(([key]) => !NOT_SETTINGS.includes(key) && !key.startsWith('_pq_'))),
  };
}
