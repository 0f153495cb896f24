import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { REQUEST_MARK } from '../../providers/app-host/requests.ts';
import { enterRequest } from './request-output.ts';

/** Lines of a process in a minute, at most: beyond, the next line counts those that are left out. */
export const MAX_LINES_PER_MINUTE = 600;
const WINDOW_MS = 60_000;
/** Length of a path in characters; the rest is cut off. */
const MAX_PATH = 200;
/** The check of a release is no visitor (providers/app-host/app-host.ts). */
const RELEASE_CHECK = 'Service-ReleaseCheck/';
/** Status of a request whose client left before the response began, as nginx logs it. */
const CLIENT_CLOSED_REQUEST = 499;

interface Started {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
}

/** A writer of lines, with a limit for each minute. */
function limited(write: (text: string) => void, now: () => number): (line: object) => void {
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
 * Prints one line for each request that a process of the application answers on its port: method, path without its query,
 * status, milliseconds and bytes. Node announces them (https://nodejs.org/api/diagnostics_channel.html#http), so it holds
 * for every framework and changes nothing in the application.
 *
 * @param port of the application; its other servers are its own
 * @returns a function that ends it
 */
export function logRequests(
  write: (text: string) => void,
  port: number | undefined,
  now: () => number = () => performance.now(),
): () => void {
  const print = limited(write, now);
  const onRequest = (message: unknown): void => {
    const { request, response, socket } = message as Started;
    if (socket.localPort !== port || request.headers['user-agent']?.startsWith(RELEASE_CHECK)) return;
    const [startedAt, sentBefore] = [now(), socket.bytesWritten];
    const { method, url = '/' } = request;
    const id = randomBytes(6).toString('base64url');
    // Node announces a request right before its handler, in the same course.
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
