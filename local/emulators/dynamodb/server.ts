import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { isPlatformCall } from '../../gateway/allowed-hosts.ts';
import type { RemoteGuard } from '../../iam/remote-guard.ts';
import { serveSockets } from '../socket-server.ts';
import type { Emulator } from '../wire.ts';
import type { Engine } from './engine.ts';
import { DynamoDbError } from './errors.ts';
import { createRequestReader, encodeResponse, type RawRequest, REFUSAL } from './http.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.0';
/** Errors that all AWS services share. They have a separate namespace. */
const COMMON_ERRORS = [
  'ValidationException',
  'MissingAuthenticationTokenException',
  'UnknownOperationException',
  'SerializationException',
];
const NAMESPACE = 'com.amazonaws.dynamodb.v20120810#';
const COMMON_NAMESPACE = 'com.amazon.coral.service#';

function respond(engine: Engine, { method, headers, body }: RawRequest): { status: number; text: string } {
  try {
    if (method !== 'POST') return { status: 404, text: '{}' };
    if (headers.authorization === undefined)
      throw new DynamoDbError(
        'MissingAuthenticationTokenException',
        'Request must contain either a valid (registered) AWS access key ID or X.509 certificate.',
      );
    const operation = String(headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    return { status: 200, text: engine.run(operation, body.toString('utf8')) };
  } catch (error) {
    const { name, message, fields, status } = toDynamoDbError(error);
    const type = `${COMMON_ERRORS.includes(name) ? COMMON_NAMESPACE : NAMESPACE}${name}`;
    return { status, text: JSON.stringify({ __type: type, message, Message: message, ...fields }) };
  }
}

function toDynamoDbError(error: unknown): DynamoDbError {
  if (error instanceof DynamoDbError) return error;
  if (error instanceof z.ZodError) return new DynamoDbError('ValidationException', z.prettifyError(error));
  if (error instanceof SyntaxError) return new DynamoDbError('SerializationException', error.message);
  console.error(error);
  return new DynamoDbError(
    'InternalServerError',
    'The request processing has failed because of an unknown error.',
    {},
    500,
  );
}

/**
 * Serves an engine's operations on a loopback port to the platform. Refuses browsers.
 * @param guard authorizes the requests; if undefined, all are allowed
 */
export async function serveEngine(engine: Engine, port: number, guard?: RemoteGuard): Promise<Emulator> {
  const answer = (request: RawRequest): string => {
    const { status, text } = respond(engine, request);
    const headers = {
      'content-type': CONTENT_TYPE,
      'x-amzn-requestid': randomUUID(),
      'x-amz-crc32': String(crc32(text)),
    };
    return encodeResponse(status, headers, text);
  };
  const answerAuthorized = async (request: RawRequest, { authorize }: RemoteGuard): Promise<string> => {
    const refused = await authorize(request);
    return refused ? encodeResponse(refused.status, refused.headers, refused.body.toString('utf8')) : answer(request);
  };
  const { stop } = await serveSockets(port, (socket) => {
    /** Closes the connection if the authorizer does not respond, because the local run is shutting down. */
    const giveUp = (error: unknown): void => {
      console.error(error);
      socket.destroy();
    };
    const read = createRequestReader((request) => {
      if (!isPlatformCall(request.headers)) {
        socket.end(REFUSAL);
        return;
      }
      const send = (response: string): void => {
        socket.write(response);
        if (request.headers.connection === 'close') socket.end();
      };
      // A client waits for a response before it sends its next request.
      if (guard) answerAuthorized(request, guard).then(send, giveUp);
      else send(answer(request));
    });
    socket.on('data', (chunk) => {
      if (!read(chunk)) socket.end(REFUSAL);
    });
  });
  return { url: `http://127.0.0.1:${port}`, port, stop };
}
