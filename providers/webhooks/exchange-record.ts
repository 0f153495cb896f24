import type { ClientRequest, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Parts of an exchange with a receiver, in whole milliseconds; null for what there was not. */
export interface ExchangeTiming {
  /** Finding the address of the name. */
  dnsMs: number | null;
  /** Opening the connection; null on one that was kept from the attempt before. */
  connectMs: number | null;
  /** Agreeing on TLS. */
  tlsMs: number | null;
  /** From the request on a ready connection to the head of the answer. */
  firstByteMs: number | null;
}

/** At most this much of an answer's headers is kept, in characters: a write unit of the table. */
export const MAX_KEPT_HEADERS = 1024;
/** Headers that may hold a credential of the receiver's. Their names are kept. */
const SECRET = /^(set-cookie2?|cookie|authorization|www-authenticate|proxy-auth.*)$|token|secret|api-?key/i;
const REDACTED = '[redacted]';

/** Returns an answer's headers as lines of `Name: value`, as many whole ones as are kept. Values that may be secret are not. */
export function keptHeaders(rawHeaders: readonly string[]): string {
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

/** Measures a request's parts as they happen; one that does not happen stays null. */
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
