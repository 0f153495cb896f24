import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { REQUEST_MARK } from '../../providers/app-host/requests.ts';
import { enterRequest } from './request-output.ts';

/** Maximum lines of a process per minute. The next line after an excess has the number of skipped lines. */
export const MAX_LINES_PER_MINUTE = 600;
const WINDOW_MS = 60_000;
/** Maximum length of a path, in characters. */
const MAX_PATH = 200;
/** User agent of health checks, which are not logged (providers/app-host/app-host.ts). */
const RELEASE_CHECK = 'Service-ReleaseCheck/';
/** Status of a request whose client disconnected before the response started, as nginx logs it. */
const CLIENT_CLOSED_REQUEST = 499;

interface Started {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
}

/** Returns a function that writes lines, with a limit per minute. */
function limitLines(write: (text: string) => void, now: () => number): (line: object) => void {
  let [since, lines, skipped] = [now(), 0, 0];
  return (line) => {
    if (now() - since >= WINDOW_MS) [since, lines] = [now(), 0];
    if (lines >= MAX_LINES_PER_MINUTE) {
      skipped += 1;
      return;
    }
    lines += 1;
    write(`${REQUEST_MARK}${JSON.stringify(skipped > 0 ? { ...line, skipped } : line)}\n`);
    skipped = 0;
  };
}

/**
 * Prints one line for each request that a process of the application answers on its port: method, path without the query, status,
 * milliseconds and bytes. It uses Node's diagnostics channel (https://nodejs.org/api/diagnostics_channel.html#http), so it works with every
 * framework and changes nothing in the application.
 *
 * @param port the application's port; requests to its other servers are not logged
 * @returns a function that stops the log
 */
export function logRequests(
  write: (text: string) => void,
  port: number | undefined,
  now: () => number = () => performance.now(),
): () => void {
  const print = limitLines(write, now);
  const onRequest = (message: unknown): void => {
    const { request, response, socket } = message as Started;
    if (socket.localPort !== port || request.headers['user-agent']?.startsWith(RELEASE_CHECK)) return;
    const [startedAt, sentBefore] = [now(), socket.bytesWritten];
    const { method, url = '/' } = request;
    const id = randomBytes(6).toString('base64url');
    // Node announces a request directly before its handler, in the same asynchronous context.
    enterRequest(id);
    response.once('close', () => {
      print({
        id,
        method,
        path: (url.split('?', 1)[0] ?? '/').slice(0, MAX_PATH),
        status: response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST,
        ms: Math.round((now() - startedAt) * 10) / 10,
        bytes: socket.bytesWritten - sentBefore,
      });
    });
  };
  subscribe('http.server.request.start', onRequest);
  return () => unsubscribe('http.server.request.start', onRequest);
}
