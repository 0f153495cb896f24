import type { ClientRequest, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Durations of the phases of an exchange with a receiver, in whole milliseconds; null for a phase that did not happen. */
export interface ExchangeTiming {
  /** DNS resolution. */
  dnsMs: number | null;
  /** Opening the connection; null for a reused connection. */
  connectMs: number | null;
  /** TLS handshake. */
  tlsMs: number | null;
  /** From sending the request on a ready connection to the head of the response. */
  firstByteMs: number | null;
}

/** Maximum characters of a response's headers that are kept: one write unit of the table. */
export const MAX_KEPT_HEADERS = 1024;
/** Matches headers that may contain a credential of the receiver. Only their names are kept. */
const SECRET = /^(set-cookie2?|cookie|authorization|www-authenticate|proxy-auth.*)$|token|secret|api-?key/i;
const REDACTED = '[redacted]';

/** Formats a response's headers as lines of `Name: value`, as many as fit. Redacts values that may be secret. */
export function formatHeaders(rawHeaders: readonly string[]): string {
  let kept = '';
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const line = `${name}: ${SECRET.test(name) ? REDACTED : value}`;
    const longer = kept === '' ? line : `${kept}\n${line}`;
    if (longer.length > MAX_KEPT_HEADERS) break;
    kept = longer;
  }
  return kept;
}

const since = (from: number): number => Math.round(performance.now() - from);

/** Records the durations of a request's phases as they happen. */
export function timeExchange(request: ClientRequest, timing: ExchangeTiming): void {
  let readyAt = performance.now();
  request.once('socket', (socket) => {
    const openedAt = performance.now();
    readyAt = openedAt;
    if (!socket.connecting) return;
    socket.once('connect', () => {
      timing.connectMs = since(openedAt);
      readyAt = performance.now();
    });
    const connectedAt = () => readyAt;
    if (isTls(socket))
      socket.once('secureConnect', () => {
        timing.tlsMs = since(connectedAt());
        readyAt = performance.now();
      });
  });
  request.once('response', (_answer: IncomingMessage) => {
    timing.firstByteMs = since(readyAt);
  });
}

const isTls = (socket: object): socket is TLSSocket => 'encrypted' in socket;
