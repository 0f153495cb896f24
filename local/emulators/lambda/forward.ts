import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import type { AppProcess } from './app-process.ts';
import { exceedsEvent } from './event-body.ts';

/** Headers of a single connection (RFC 9110, 7.6.1), which are not forwarded. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'] as const;

/** Time after a broken connection within which the end of its process becomes known. */
const END_MS = 100;

/** Thrown if the application is unreachable and no part of the request has been sent, so that it may be retried. */
export class Unreachable extends Error {}

/** Receives an application's response, for example to cache it. */
export type OnResponse = (appResponse: IncomingMessage) => void;

/** The application to which a request is forwarded. */
interface Destination {
  app: AppProcess;
  /** Host of its function URL. */
  host: string;
  timeoutMs: number;
  /** Called with the application's response before any part of it is forwarded. */
  onResponse?: OnResponse | undefined;
}

/**
 * Streams a request to an application and its response back. Resolves when the response is complete or the client has
 * disconnected. Throws {@link Unreachable} before it reads from `incoming` if the application has ended.
 */
export function forwardTo(
  { app, host, timeoutMs, onResponse }: Destination,
  incoming: IncomingMessage,
  response: ServerResponse,
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
    let isComplete = false;
    const finish = (): void => {
      clearTimeout(timer);
      // A complete exchange returns its connection to the agent; an incomplete one closes it.
      if (!isComplete) outgoing.destroy();
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
      // Waits for the connection, because a request that has not been read can still go to another process.
      if (socket.connecting) socket.once('connect', send);
      else send();
    });
    outgoing.once('response', (appResponse) => {
      onResponse?.(appResponse);
      response.writeHead(
        appResponse.statusCode ?? 502,
        appResponse.statusMessage,
        responseHeaders(appResponse.headers),
      );
      // Usually the body arrives with the head, and both leave in one packet. Otherwise the head is sent without waiting.
      let isSent = false;
      appResponse.once('data', () => {
        isSent = true;
      });
      setImmediate(() => {
        if (!isSent && !response.writableEnded) response.flushHeaders();
      });
      appResponse.pipe(response);
      appResponse.once('end', () => {
        isComplete = true;
      });
      appResponse.once('error', () => response.destroy());
    });
    outgoing.once('error', async () => {
      clearTimeout(timer);
      if (isTooLarge) return;
      if (!sent && !response.destroyed) return reject(new Unreachable());
      // Waits for the end of the process to become known, so that the next request does not reach it.
      const endReason = await Promise.race([app.ended, sleep(END_MS)]);
      // The application closed an idle connection. The request can be retried unless the process has ended.
      const isStale = outgoing.reusedSocket && endReason === undefined && !hasBody(incoming) && !response.headersSent;
      if (isStale && !response.destroyed) reject(new Unreachable());
      else fail(502, 'The application ended before it answered.');
    });
    response.once('close', finish);
  });
}

/**
 * Refuses a request that is larger than an event, as a function URL does. First reads and discards the remaining body, because many
 * clients do not read a response before they have sent the whole request.
 */
function refuseSize(incoming: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': 'RequestTooLargeException' };
  const Message = `Request must be smaller than ${AWS_LIMITS.lambdaPayloadBytes.value} bytes for the InvokeFunction operation`;
  incoming.resume().once('end', () => response.writeHead(413, headers).end(JSON.stringify({ Message })));
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Returns the headers without the hop-by-hop ones. */
export function stripHopByHop(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const kept = { ...headers };
  for (const name of HOP_BY_HOP) delete kept[name];
  delete kept['transfer-encoding'];
  return kept;
}

/** Returns the headers of a response as a function URL sends them: it renames `WWW-Authenticate`. */
function responseHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { 'www-authenticate': challenge, ...kept } = stripHopByHop(headers);
  return challenge === undefined ? kept : { ...kept, 'x-amzn-remapped-www-authenticate': challenge };
}

/**
 * Returns the headers of a request as CloudFront sends them: `Host` is the function URL's, and `X-Forwarded-Host` is the
 * client's `Host`. Replaces headers of these names from the client, and appends the client's address to `X-Forwarded-For`.
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
