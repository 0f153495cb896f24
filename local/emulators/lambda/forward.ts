import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import type { AppProcess } from './app-process.ts';
import { exceedsEvent } from './event-body.ts';

/** Headers of a single connection (RFC 9110, 7.6.1), which are not forwarded. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'] as const;

/** Time in milliseconds from a broken connection until the end of its process is known. */
const END_MS = 100;

/** Thrown when the application is unreachable and nothing of the request was sent, so that it may be sent again. */
export class Unreachable extends Error {}

/** Receives an application's response, to keep it. */
export type OnAnswer = (answer: IncomingMessage) => void;

/**
 * Streams a request to an application and its response back. Resolves when the response is complete or the client has
 * disconnected. Throws {@link Unreachable} before it reads from `incoming` if the application has ended.
 * @param onAnswer is called with the application's response before any of it is sent on
 */
export function forwardTo(
  app: AppProcess,
  host: string,
  incoming: IncomingMessage,
  response: ServerResponse,
  timeoutMs: number,
  onAnswer?: OnAnswer,
): Promise<void> {
  if (exceedsEvent(incoming.headers, Number(incoming.headers['content-length'] ?? 0))) {
    refuseSize(incoming, response);
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port: app.port,
      agent: app.agent,
      method: incoming.method,
      path: incoming.url,
      headers: requestHeaders(incoming, host),
    });
    let answered = false;
    const finish = (): void => {
      clearTimeout(timer);
      // A complete exchange returns its connection to the agent; an incomplete one closes it.
      if (!answered) outgoing.destroy();
      resolve();
    };
    const fail = (status: number, message: string): void => {
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
      finish();
    };
    const timer = setTimeout(() => fail(504, 'The application did not answer in time.'), timeoutMs);

    let sent = false;
    let isTooLarge = false;
    const send = (): void => {
      sent = true;
      let bytes = 0;
      const count = (chunk: Buffer): void => {
        bytes += chunk.length;
        if (!exceedsEvent(incoming.headers, bytes)) return;
        isTooLarge = true;
        refuseSize(incoming.off('data', count).unpipe(outgoing), response);
        finish();
      };
      incoming.on('data', count);
      incoming.pipe(outgoing);
    };
    outgoing.once('socket', (socket) => {
      // Waits for the connection: a request that was not read from can be sent to another process.
      if (socket.connecting) socket.once('connect', send);
      else send();
    });
    outgoing.once('response', (answer) => {
      onAnswer?.(answer);
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, responseHeaders(answer.headers));
      // The body usually comes with the head and leaves with it, in one packet; a head without one does not wait.
      let isSent = false;
      answer.once('data', () => {
        isSent = true;
      });
      setImmediate(() => {
        if (!isSent && !response.writableEnded) response.flushHeaders();
      });
      answer.pipe(response);
      answer.once('end', () => {
        answered = true;
      });
      answer.once('error', () => response.destroy());
    });
    outgoing.once('error', async () => {
      clearTimeout(timer);
      if (isTooLarge) return;
      if (!sent && !response.destroyed) return reject(new Unreachable());
      // Waits until the process's end is known, so that the next request does not reach an ending process.
      const endReason = await Promise.race([app.ended, sleep(END_MS)]);
      // The application closed an idle connection. That does not concern this request unless the process ended.
      const isStale = outgoing.reusedSocket && endReason === undefined && !hasBody(incoming) && !response.headersSent;
      if (isStale && !response.destroyed) reject(new Unreachable());
      else fail(502, 'The application ended before it answered.');
    });
    response.once('close', finish);
  });
}

/**
 * Answers as a function URL does for a request that is larger than an event, after the rest of it, which is read and discarded in the
 * time that a request has: many clients read no response before they have sent everything.
 */
function refuseSize(incoming: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': 'RequestTooLargeException' };
  const Message = `Request must be smaller than ${AWS_LIMITS.lambdaPayloadBytes.value} bytes for the InvokeFunction operation`;
  incoming.resume().once('end', () => response.writeHead(413, headers).end(JSON.stringify({ Message })));
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Returns headers without those of a single connection. */
export function stripHopByHop(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const kept = { ...headers };
  for (const name of HOP_BY_HOP) delete kept[name];
  delete kept['transfer-encoding'];
  return kept;
}

/** Returns the response headers as a function URL sends them: it renames the challenge of a 401. */
function responseHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { 'www-authenticate': challenge, ...kept } = stripHopByHop(headers);
  return challenge === undefined ? kept : { ...kept, 'x-amzn-remapped-www-authenticate': challenge };
}

/**
 * Returns the request headers as CloudFront sends them: Host is the function URL's, and `X-Forwarded-Host` is the
 * client's. Headers of these names that the client sent are replaced, and addresses in `X-Forwarded-For` followed by its own.
 */
function requestHeaders(incoming: IncomingMessage, host: string): OutgoingHttpHeaders {
  const { headers, socket } = incoming;
  return {
    ...stripHopByHop(headers),
    'x-forwarded-host': headers.host,
    'x-forwarded-proto': 'http',
    'x-forwarded-for': [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat().join(', '),
    // A body without a length keeps chunked framing, for any method.
    ...(headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }),
    host,
  };
}
