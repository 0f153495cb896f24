import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Identity } from '../../certificates.ts';
import { serveSockets } from '../../socket-server.ts';
import type { Database } from './database.ts';
import {
  decode,
  encode,
  errorResponse,
  int32,
  type Message,
  ProtocolViolation,
  readText,
  readyForQuery,
  type ServerError,
  text,
} from './messages.ts';
import { createSession, type Session } from './session.ts';
import { isSetting, OTHER_SETTINGS } from './settings.ts';
import { CANCEL_REQUEST, type Client, PROTOCOL_3, readSessionKey, readStartup, sessionKey } from './startup.ts';

const [SSL_REQUEST, GSS_REQUEST] = [80877103, 80877104];
/** Maximum size of a startup message. The server closes connections that send more. */
const MAX_STARTUP_BYTES = 10_000;

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
  /** The version that the server reports. */
  version: string;
  /** Returns the error with which a client is refused; undefined if it is accepted. */
  authenticate(user: string, database: string, password: string): ServerError | undefined;
}

/** Returns the error for a client that starts with settings which DSQL does not support; undefined if it supports all. */
function refuseSettings(names: Iterable<string>): ServerError | undefined {
  const refused = [...names].find((name) => !isSetting(name));
  if (refused === undefined) return undefined;
  const message = `setting configuration parameter "${refused}" not supported`;
  return { code: '0A000', message, hint: OTHER_SETTINGS.hint };
}

/** Serves one database to PostgreSQL clients, over TLS only, as DSQL does. */
export async function servePostgres({ port, database, identity, version, authenticate }: PostgresServerOptions) {
  const secureContext = createSecureContext(identity);
  const sessions = new Map<string, Session>();
  let lastId = 0;

  const cancel = (socket: Socket, key: string): void => {
    void sessions.get(key)?.cancel();
    socket.end();
  };

  function serveClient(socket: TLSSocket): void {
    let bytes: Buffer = Buffer.alloc(0);
    let client: Client | undefined;
    let session: Session | undefined;
    const [id, secret] = [++lastId, randomInt(2 ** 31)];
    let work = Promise.resolve();
    const refuse = (error: ServerError): void => void socket.end(errorResponse({ severity: 'FATAL', ...error }));

    /** Reads the startup message and requests the password. Returns undefined if the message is incomplete or refused. */
    const startUp = (): Client | undefined => {
      const startup = readStartup(bytes);
      if (!startup) return undefined;
      bytes = startup.rest;
      const { request } = startup;
      if (request.kind === 'cancel') {
        cancel(socket, request.session);
        return undefined;
      }
      if (request.kind === 'unsupported') {
        refuse({ code: '0A000', message: 'unsupported frontend protocol' });
        return undefined;
      }
      if (request.isNewer) socket.write(encode('v', int32(PROTOCOL_3 << 16), int32(0)));
      socket.write(encode('R', int32(3)));
      return request.client;
    };

    const logIn = ({ user, database: name, settings }: Client, password: string): void => {
      const refused = authenticate(user, name, password) ?? refuseSettings(settings.keys());
      if (refused) {
        refuse(refused);
        return;
      }
      session = createSession(id, database, settings, (response) => void socket.write(response));
      sessions.set(sessionKey(id, secret), session);
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

    /** Handles a message after the previous ones. */
    const enqueue = (target: Session, message: Message): void => {
      work = work
        .then(() => target.handle(message))
        .catch((error: unknown) => {
          console.error(error);
          socket.destroy();
        });
    };

    const receive = (message: Message, sender: Client): void => {
      if (message.type === 'X') socket.end();
      else if (session) enqueue(session, message);
      else if (message.type === 'p') logIn(sender, readText(message.body)[0]);
    };

    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      client ??= startUp();
      if (!client) {
        if (bytes.length > MAX_STARTUP_BYTES) socket.destroy();
        return;
      }
      const { messages, rest } = decode(bytes);
      bytes = rest;
      for (const message of messages) receive(message, client);
    };

    socket.on('data', (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        if (!(error instanceof ProtocolViolation)) throw error;
        refuse({ code: '08P01', message: error.message });
        socket.removeAllListeners('data').resume();
      }
    });
    socket.on('close', () => {
      const ended = session;
      sessions.delete(sessionKey(id, secret));
      if (ended) work = work.then(() => ended.close());
    });
  }

  const encrypt = (socket: Socket): void => {
    const encrypted = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['postgresql'] });
    encrypted.on('error', () => socket.destroy());
    serveClient(encrypted);
  };

  /** Handles requests for encryption and cancellation. Refuses unencrypted sessions. */
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
        cancel(socket, readSessionKey(chunk, 8));
      } else {
        socket.end(errorResponse({ severity: 'FATAL', code: '28000', message: 'SSL is required: sslmode=require' }));
      }
    });
  };

  return await serveSockets(port, negotiate);
}
