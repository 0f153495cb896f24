import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppProcess } from './app-process.ts';

/** Headers that are about one connection only (RFC 9110, 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'] as const;

/** From a broken connection until its process is known to be gone, in milliseconds. */
const END_MS = 100;

/** The application could not be reached at all: nothing of the request was sent, so it may be sent again. */
export class Unreachable extends Error {}

/**
 * Passes a request to an application and its answer back, both as streams. Resolves when the answer is through or the
 * client has gone. Throws {@link Unreachable}, before anything of `incoming` was read, when the application is gone.
 */
export function forwardTo(
  app: AppProcess,
  host: string,
  incoming: IncomingMessage,
  response: ServerResponse,
  timeoutMs: number,
): Promise<void> {
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
      // A finished exchange gives its connection back; an unfinished one takes it along.
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
    const send = (): void => {
      sent = true;
      incoming.pipe(outgoing);
    };
    outgoing.once('socket', (socket) => {
      // Not before the connection stands: a request that was not read from can be sent to another process.
      if (socket.connecting) socket.once('connect', send);
      else send();
    });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHops(answer.headers));
      response.flushHeaders();
      answer.pipe(response);
      answer.once('end', () => {
        answered = true;
      });
      answer.once('error', () => response.destroy());
    });
    outgoing.once('error', async () => {
      clearTimeout(timer);
      if (!sent && !response.destroyed) return reject(new Unreachable());
      // Known before it is told: the next request must not reach what is on its way out.
      const ended = await Promise.race([app.ended, sleep(END_MS)]);
      // It closed a connection that was idle: not a sign of this request, unless it is what ended the process.
      const stale = outgoing.reusedSocket && ended === undefined && !hasBody(incoming) && !response.headersSent;
      if (stale && !response.destroyed) reject(new Unreachable());
      else fail(502, 'The application ended before it answered.');
    });
    response.once('close', finish);
  });
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function withoutHops(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const kept = { ...headers };
  for (const name of HOP_BY_HOP) delete kept[name];
  delete kept['transfer-encoding'];
  return kept;
}

/** As behind CloudFront: the host is the function URL's, the one that the client asked for is in `X-Forwarded-Host`. */
function requestHeaders(incoming: IncomingMessage, host: string): OutgoingHttpHeaders {
  const { headers, socket } = incoming;
  return {
    'x-forwarded-host': headers.host,
    'x-forwarded-proto': 'http',
    'x-forwarded-for': socket.remoteAddress,
    ...withoutHops(headers),
    // A body without a length keeps its framing, whatever the method.
    ...(headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }),
    host,
  };
}
