import { Resolver } from 'node:dns/promises';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { isLocalName, isLoopback, isPublic, parseHost } from './addresses.ts';
import { readBody } from './body.ts';
import { type ExchangeTiming, keptHeaders, timeExchange } from './exchange-record.ts';
import { type Outcome, SendError, toSendError } from './send-errors.ts';

/** Result of one POST. Every misbehaviour of a receiver is an outcome; only a lack of files or memory in this process is thrown. */
export interface Sent {
  outcome: Outcome;
  /** The status of the answer; null when none came. */
  status: number | null;
  /** The start of the answer's body as text, at most 8 KiB of UTF-8. */
  body: string;
  /** The answer's headers as lines of `Name: value`, without secrets (exchange-record.ts); empty when none came. */
  headers: string;
  timing: ExchangeTiming;
  /** From before the name was resolved to the last byte read. */
  durationMs: number;
}

export interface WebhookSender {
  /** POSTs a body. Redirects are not followed; the address is checked as it stands in the URL and as it resolves. */
  send(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
}

export interface SenderOptions {
  /** True on the local run: allows the machine's own addresses, over plain http too. */
  allowLocal: boolean;
  /** All addresses of a name. Looked up without getaddrinfo, whose few threads a slow name server would use up. */
  resolve?: (name: string, signal: AbortSignal) => Promise<string[]>;
  /** Milliseconds for everything, from the name to the last byte of the answer (specification, Delivery 1: 10 s). */
  deadline?: number;
}

const DEADLINE_MS = TIMEOUTS_S.delivery.attempt * 1000;
/** The most that an answer's headers may be, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024;

export async function resolveName(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver();
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Which address to connect to: decided once, right before connecting, so that no second answer of the DNS can differ. */
export async function resolveAddress(
  url: URL,
  options: Pick<Required<SenderOptions>, 'allowLocal' | 'resolve'>,
  signal: AbortSignal,
): Promise<string> {
  const host = parseHost(url);
  const local = options.allowLocal && isLocalName(host);
  const literal = isIP(host) !== 0;
  const addresses = literal ? [host] : local ? ['127.0.0.1'] : await options.resolve(host, signal);
  if (addresses.length === 0) throw new SendError('DNS', `${host} does not resolve`);
  const allowed = addresses.filter((address) => {
    if (options.allowLocal && isLoopback(address)) return true;
    // Plain http is for this machine only, whatever a name has come to mean since it was registered.
    return url.protocol === 'https:' && isPublic(address);
  });
  const [address] = allowed;
  // One bad address among good ones is a trap or a mistake: neither is worth a connection.
  if (address === undefined || allowed.length < addresses.length) throw new SendError('BLOCKED_ADDRESS', host);
  return address;
}

/** Answers a connection's question for an address with the one that was checked. */
export const fixedLookup = (address: string): LookupFunction => {
  const family = isIP(address);
  return (_name, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family));
};

/**
 * Time for which an idle connection is kept, in milliseconds: for the next attempt of a burst, not for the next event.
 */
const KEEP_ALIVE_MS = 1_000;
const pooling = { keepAlive: true, timeout: KEEP_ALIVE_MS, maxFreeSockets: 10 };
interface Agents {
  http: HttpAgent;
  https: HttpsAgent;
}
const makeAgents = (): Agents => ({ http: new HttpAgent(pooling), https: new HttpsAgent(pooling) });

function open(
  url: URL,
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  kept: Agents | undefined,
): ClientRequest {
  const secure = url.protocol === 'https:';
  return (secure ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    headers,
    signal,
    lookup: fixedLookup(address),
    maxHeaderSize: MAX_HEADER_BYTES,
    agent: kept ? (secure ? kept.https : kept.http) : false,
    // IP literals are not sent as the server's name.
    ...(secure && isIP(parseHost(url)) === 0 ? { servername: parseHost(url) } : {}),
  });
}

const readResponse = (request: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // With a listener, the socket is the listener's to close.
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new SendError('BAD_RESPONSE', 'the receiver switched protocols'));
    });
    request.on('close', () => reject(new SendError('RESET', 'the connection closed without an answer')));
    request.end(body);
  });

const toOutcome = (status: number): Outcome =>
  status >= 200 && status < 300 ? 'DELIVERED' : status >= 300 && status < 400 ? 'REDIRECT' : 'BAD_STATUS';

type Seen = Pick<Sent, 'status' | 'body' | 'headers' | 'timing'>;

/**
 * A kept connection was closed by the receiver. The attempt repeats on a fresh connection and does not count as a
 * failure.
 */
class StaleConnection extends Error {}

async function attemptOnce(request: ClientRequest, body: string, signal: AbortSignal, seen: Seen): Promise<Outcome> {
  // What is wrong with an answer is said by the request; the answer itself only knows that it was cut off.
  let fault: unknown;
  request.on('error', (error) => {
    fault = error;
  });
  try {
    timeExchange(request, seen.timing);
    const answer = await readResponse(request, body);
    const status = answer.statusCode ?? 0;
    seen.status = status;
    seen.headers = keptHeaders(answer.rawHeaders);
    const { text, broken } = await readBody(answer, signal);
    seen.body = text;
    return broken ? toSendError(fault ?? broken).outcome : toOutcome(status);
  } catch (error) {
    if (request.reusedSocket && seen.status === null && !signal.aborted) throw new StaleConnection();
    throw error;
  } finally {
    // A connection whose answer was read whole has gone back to be kept; any other ends here.
    request.destroy();
  }
}

/** Sends webhooks from this process: bounded in time, in what is read, and in where they may go. */
export function createWebhookSender(given: SenderOptions): WebhookSender {
  const options: Required<SenderOptions> = { resolve: resolveName, deadline: DEADLINE_MS, ...given };
  const agents = makeAgents();

  /** @param seen told the status as soon as it is known: an answer may have one and never end */
  async function exchange(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal, seen: Seen) {
    const askedAt = performance.now();
    const address = await resolveAddress(url, options, signal);
    // An address in the URL, or this machine's own, is not asked for.
    if (isIP(parseHost(url)) === 0) seen.timing.dnsMs = Math.round(performance.now() - askedAt);
    signal.throwIfAborted();
    try {
      return await attemptOnce(open(url, address, headers, signal, agents), body, signal, seen);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return await attemptOnce(open(url, address, headers, signal, undefined), body, signal, seen);
    }
  }

  return {
    async send(url, headers, body) {
      const started = performance.now();
      const deadline = new AbortController();
      const { signal } = deadline;
      const late = () => new SendError('TIMEOUT', 'not done in time');
      const expired = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(late())));
      const timer = setTimeout(() => deadline.abort(), options.deadline);
      const length = String(Buffer.byteLength(body));
      const timing = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
      const seen: Seen = { status: null, body: '', headers: '', timing };
      const work = exchange(new URL(url), { ...headers, 'content-length': length }, body, signal, seen);
      try {
        // Raced, so that not even a step that ignores the signal can outlast the deadline.
        const outcome = await Promise.race([work, expired]).catch((error: unknown) =>
          signal.aborted ? 'TIMEOUT' : toSendError(error).outcome,
        );
        return { outcome, ...seen, durationMs: Math.round(performance.now() - started) };
      } finally {
        clearTimeout(timer);
        work.catch(() => undefined);
      }
    },
  };
}
