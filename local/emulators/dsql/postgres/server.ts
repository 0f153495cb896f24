import { randomInt } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { LOOPBACK } from '../../../gateway/own-hosts.ts';
import type { Identity } from '../../certificates.ts';
import type { Database } from './database.ts';
import { decode, encode, errorResponse, int32, readText, readyForQuery, type ServerError, text } from './messages.ts';
import { createSession, type Session } from './session.ts';

const [SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST, PROTOCOL_3] = [80877103, 80877104, 80877102, 3];
/** A startup message is short; anything longer is no PostgreSQL client. */
const MAX_STARTUP_BYTES = 10_000;

/** Parameters of a startup message that are no settings of the session. */
const NO_SETTINGS: readonly string[] = ['user', 'database', 'replication', 'options'];

const PARAMETERS: Readonly<Record<string, string>> = {
  server_encoding: 'UTF8',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  integer_datetimes: 'on',
  standard_conforming_strings: 'on',
  is_superuser: 'off',
  session_authorization: 'admin',
};

export interface PostgresServerOptions {
  port: number;
  database: Database;
  identity: Identity;
  /** Version that the server reports. */
  version: string;
  /** Returns the error that refuses a client. */
  authenticate(user: string, database: string, password: string): ServerError | undefined;
}

/** Serves one database to PostgreSQL clients, over TLS only, as DSQL does. */
export async function servePostgres({ port, database, identity, version, authenticate }: PostgresServerOptions) {
  const secureContext = createSecureContext(identity);
  const sockets = new Set<Socket>();
  const sessions = new Map<string, Session>();
  let lastId = 0;

  function converse(socket: TLSSocket): void {
    let bytes: Buffer = Buffer.alloc(0);
    let session: Session | undefined;
    let settings = new Map<string, string>();
    let [user, name, isStarted] = ['', '', false];
    const [id, secret] = [++lastId, randomInt(2 ** 31)];
    let work = Promise.resolve();
    const refuse = (error: ServerError): void => void socket.end(errorResponse({ severity: 'FATAL', ...error }));

    const start = (): boolean => {
      if (bytes.length < 8 || bytes.length < bytes.readInt32BE(0)) return false;
      const body = bytes.subarray(4, bytes.readInt32BE(0));
      bytes = bytes.subarray(body.length + 4);
      const code = body.readInt32BE(0);
      if (code === CANCEL_REQUEST) {
        void sessions.get(`${body.readInt32BE(4)}:${body.readInt32BE(8)}`)?.cancel();
        socket.end();
        return false;
      }
      if (code >> 16 !== PROTOCOL_3) {
        refuse({ code: '0A000', message: 'unsupported frontend protocol' });
        return false;
      }
      const fields = body.subarray(4).toString('utf8').split('\0');
      const parameters = new Map<string, string>();
      for (let at = 0; at + 1 < fields.length && fields[at]; at += 2)
        parameters.set(fields[at] ?? '', fields[at + 1] ?? '');
      [user, name] = [parameters.get('user') ?? '', parameters.get('database') ?? parameters.get('user') ?? ''];
      settings = new Map([...parameters].filter(([key]) => !NO_SETTINGS.includes(key) && !key.startsWith('_pq_')));
      isStarted = true;
      if ((code & 0xffff) > 0) socket.write(encode('v', int32(PROTOCOL_3 << 16), int32(0)));
      socket.write(encode('R', int32(3)));
      return true;
    };

    const enter = (password: string): void => {
      const refused = authenticate(user, name, password);
      if (refused) {
        refuse(refused);
        return;
      }
      session = createSession(id, database, settings, (answer) => void socket.write(answer));
      sessions.set(`${id}:${secret}`, session);
      const parameters = {
        ...PARAMETERS,
        server_version: version,
        application_name: settings.get('application_name') ?? '',
      };
      socket.write(
        Buffer.concat([
          encode('R', int32(0)),
          ...Object.entries(parameters).map(([key, value]) => encode('S', text(key), text(value))),
          encode('K', int32(id), int32(secret)),
          readyForQuery('I'),
        ]),
      );
    };

    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (!isStarted && !start()) {
        if (bytes.length > MAX_STARTUP_BYTES) socket.destroy();
        return;
      }
      const { messages, rest } = decode(bytes);
      bytes = rest;
      for (const message of messages) {
        if (message.type === 'X') socket.end();
        else if (session) {
          const entered = session;
          work = work
            .then(() => entered.handle(message))
            .catch((error: unknown) => {
              console.error(error);
              socket.destroy();
            });
        } else if (message.type === 'p') enter(readText(message.body)[0]);
      }
    });
    socket.on('close', () => {
      const ended = session;
      sessions.delete(`${id}:${secret}`);
      if (ended) work = work.then(() => ended.close());
    });
  }

  const encrypt = (socket: Socket): void => {
    const encrypted = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['postgresql'] });
    encrypted.on('error', () => socket.destroy());
    converse(encrypted);
  };

  /** Reads requests for encryption; everything else that is not encrypted is refused. */
  const negotiate = (socket: Socket): void => {
    socket.once('data', (chunk: Buffer) => {
      const code = chunk.length >= 8 ? chunk.readInt32BE(4) : 0;
      if (code === GSS_REQUEST) {
        socket.write('N');
        negotiate(socket);
      } else if (code === SSL_REQUEST) {
        socket.pause();
        socket.write('S');
        encrypt(socket);
      } else if (code === CANCEL_REQUEST && chunk.length >= 16) {
        void sessions.get(`${chunk.readInt32BE(8)}:${chunk.readInt32BE(12)}`)?.cancel();
        socket.end();
      } else {
        socket.end(errorResponse({ severity: 'FATAL', code: '28000', message: 'SSL is required: sslmode=require' }));
      }
    });
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    negotiate(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  return {
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
