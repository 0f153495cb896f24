import { Resolver } from 'node:dns/promises';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { isLocalName, isLoopback, isPublic, parseHost } from './addresses.ts';
import { readBody } from './body.ts';
import { type ExchangeTiming, formatHeaders, timeExchange } from './exchange-record.ts';
import { type Outcome, SendError, toSendError } from './send-errors.ts';

/** The result of one POST. All failures of a receiver are outcomes; only this process's lack of file descriptors or memory is thrown. */
export interface Sent {
  outcome: Outcome;
  /** The status of the response; null if there was none. */
  status: number | null;
  /** The start of the response's body as text, at most 8 KiB of UTF-8. */
  body: string;
  /** The response's headers as lines of `Name: value`, without secrets (exchange-record.ts); empty if there was no response. */
  headers: string;
  timing: ExchangeTiming;
  /** From the start of DNS resolution to the last byte read. */
  durationMs: number;
}

export interface WebhookSender {
  /** POSTs a body. Does not follow redirects. Checks the address both as written in the URL and as resolved. */
  send(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
}

export interface SenderOptions {
  /** True on the local run: allows addresses of this machine, also over plain HTTP. */
  allowLocal: boolean;
  /** Returns all addresses of a name. Does not use getaddrinfo, because slow name servers would occupy its few threads. */
  resolve?: (name: string, signal: AbortSignal) => Promise<string[]>;
  /** Time limit in milliseconds, from DNS resolution to the last byte of the response (specification, Delivery 1: 10 s). */
  deadline?: number;
}

const DEADLINE_MS = TIMEOUTS_S.delivery.attempt * 1000;
/** Maximum size of a response's headers, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Returns all IPv4 and IPv6 addresses of a name; none if it does not resolve or the signal is aborted. */
export async function resolveName(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver();
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Returns the address to connect to. It is resolved only once, directly before connecting, so that no second DNS answer can differ. */
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
    // Plain HTTP is only for this machine, even if the name has resolved elsewhere since the endpoint was registered.
    return url.protocol === 'https:' && isPublic(address);
  });
  const [address] = allowed;
  // A single blocked address among allowed ones is an attack or a mistake, so the connection is refused.
  if (address === undefined || allowed.length < addresses.length) throw new SendError('BLOCKED_ADDRESS', host);
  return address;
}

/** Returns a lookup function for connections that always returns the address that was checked. */
export const fixedLookup = (address: string): LookupFunction => {
  const family = isIP(address);
  return (_name, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family));
};

/** Time for which an idle connection is kept, in milliseconds. It suffices for the next attempt of a burst, not for the next event. */
const KEEP_ALIVE_MS = 1_000;
const pooling = { keepAlive: true, timeout: KEEP_ALIVE_MS, maxFreeSockets: 10 };
interface Agents {
  http: HttpAgent;
  https: HttpsAgent;
}

/**
 * Creates agents that reuse a connection only for the URL that has answered on it. Otherwise a receiver that closes connections without
 * an answer would share those of its neighbors, and each of its attempts would be sent twice, as after a stale connection.
 */
function createAgents(): Agents {
  const agents = { http: new HttpAgent(pooling), https: new HttpsAgent(pooling) };
  for (const agent of Object.values(agents)) {
    const getName = agent.getName.bind(agent);
    agent.getName = (options: PooledOptions = {}) => `${getName(options)}:${options.url}`;
  }
  return agents;
}
type PooledOptions = RequestOptions & { url?: string };

function open(
  url: URL,
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  agents: Agents | undefined,
): ClientRequest {
  const secure = url.protocol === 'https:';
  const options: PooledOptions = {
    url: url.href,
    method: 'POST',
    headers,
    signal,
    lookup: fixedLookup(address),
    maxHeaderSize: MAX_HEADER_BYTES,
    agent: agents ? (secure ? agents.https : agents.http) : false,
    // TLS does not allow IP addresses as the server name.
    ...(secure && isIP(parseHost(url)) === 0 ? { servername: parseHost(url) } : {}),
  };
  return (secure ? httpsRequest : httpRequest)(url, options);
}

const readResponse = (request: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // With a listener for `upgrade`, the listener must close the socket.
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

/** The receiver has closed a kept connection. The attempt is repeated on a new connection and does not count as a failure. */
class StaleConnection extends Error {}

async function attemptOnce(request: ClientRequest, body: string, signal: AbortSignal, seen: Seen): Promise<Outcome> {
  // The request's error has the cause of a broken response; the error of the response only says that it was cut off.
  let fault: unknown;
  request.on('error', (error) => {
    fault = error;
  });
  try {
    timeExchange(request, seen.timing);
    const answer = await readResponse(request, body);
    const status = answer.statusCode ?? 0;
    seen.status = status;
    seen.headers = formatHeaders(answer.rawHeaders);
    const { text, broken } = await readBody(answer, signal);
    seen.body = text;
    return broken ? toSendError(fault ?? broken).outcome : toOutcome(status);
  } catch (error) {
    if (request.reusedSocket && seen.status === null && !signal.aborted) throw new StaleConnection();
    throw error;
  } finally {
    // A connection whose response was read completely has already returned to the pool. Any other connection is closed here.
    request.destroy();
  }
}

/** Creates a sender of webhooks with limits on the time, the response size and the allowed addresses. */
export function createWebhookSender(given: SenderOptions): WebhookSender {
  const options: Required<SenderOptions> = { resolve: resolveName, deadline: DEADLINE_MS, ...given };
  const agents = createAgents();

  /** @param seen receives the status as soon as it is known, because a response may have a status and never end */
  async function exchange(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal, seen: Seen) {
    const askedAt = performance.now();
    const address = await resolveAddress(url, options, signal);
    // An IP address in the URL needs no DNS resolution.
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
      const timeout = () => new SendError('TIMEOUT', 'the time limit was exceeded');
      const expired = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(timeout())));
      const timer = setTimeout(() => deadline.abort(), options.deadline);
      const length = String(Buffer.byteLength(body));
      const timing = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
      const seen: Seen = { status: null, body: '', headers: '', timing };
      const work = exchange(new URL(url), { ...headers, 'content-length': length }, body, signal, seen);
      try {
        // The race enforces the deadline even for a step that ignores the signal.
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
