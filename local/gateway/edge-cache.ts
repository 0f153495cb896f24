import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import * as z from 'zod';
import { type OnResponse, stripHopByHop } from '../emulators/lambda/forward.ts';
import type { Template } from '../template/template.ts';
import type { Forwarding } from './edge.ts';

/** Maximum size of the cache. The least recently used files are evicted first. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum size of a cached file. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Approximate overhead of a file in addition to its key, headers and body. */
const ENTRY_BYTES = 300;

/** A cache policy of CloudFront, times in seconds. */
export type CachePolicy = z.output<typeof CachePolicy>;
const CachePolicy = z.object({
  DefaultTTL: z.coerce.number(),
  MaxTTL: z.coerce.number(),
  MinTTL: z.literal(0),
  ParametersInCacheKeyAndForwardedToOrigin: z.object({
    HeadersConfig: z.object({ HeaderBehavior: z.literal('whitelist'), Headers: z.array(z.string().toLowerCase()) }),
    QueryStringsConfig: z.object({ QueryStringBehavior: z.literal('all') }),
    CookiesConfig: z.object({ CookieBehavior: z.literal('none') }),
    EnableAcceptEncodingBrotli: z.literal(true),
    EnableAcceptEncodingGzip: z.literal(true),
  }),
});
const Distribution = z.object({
  DistributionConfig: z.object({
    DefaultCacheBehavior: z.object({
      AllowedMethods: z.array(z.string()),
      CachePolicyId: z.string(),
      FunctionAssociations: z.array(z.object({ FunctionARN: z.string() })),
    }),
  }),
});

/** The behavior of a distribution for requests to applications. */
interface EdgeBehavior {
  /** CloudFront answers 403 to requests with other methods, before the edge function runs. */
  allowedMethods: readonly string[];
  cachePolicy: CachePolicy;
}

/** Returns the template's behavior for applications: that of the distribution that runs the edge function. */
export function edgeBehaviorOf(template: Template, edgeFunction: string): EdgeBehavior {
  const behaviors = template
    .resources('AWS::CloudFront::Distribution')
    .map(({ properties }) => Distribution.parse(properties).DistributionConfig.DefaultCacheBehavior);
  const behavior = behaviors.find(({ FunctionAssociations: [first] }) => first?.FunctionARN.includes(edgeFunction));
  const policy = template.resources('AWS::CloudFront::CachePolicy').find(({ ref }) => ref === behavior?.CachePolicyId);
  const { CachePolicyConfig } = z.object({ CachePolicyConfig: CachePolicy }).parse(policy?.properties);
  return { allowedMethods: behavior?.AllowedMethods ?? [], cachePolicy: CachePolicyConfig };
}

/** A stored response. Times in milliseconds since the epoch. */
interface Stored {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
  storedAt: number;
  expiresAt: number;
}

/** Returns the bytes that a file occupies. Small responses consist mostly of key and headers. */
const sizeOf = (key: string, { headers, body }: Stored): number =>
  ENTRY_BYTES + key.length + JSON.stringify(headers).length + body.length;

export type Forward = (
  urlHost: string,
  request: IncomingMessage,
  response: ServerResponse,
  onResponse?: OnResponse,
) => Promise<void>;

/**
 * Creates the cache between the edge function and applications, with CloudFront's rules: the policy's cache key, GET and HEAD only,
 * the lifetime from `s-maxage`, `max-age` or `Expires`, and no responses with `private` or `no-store`. Like CloudFront, it stores
 * responses with Set-Cookie and ignores Vary: the platform must ensure that applications' responses rely on neither. Unlike
 * CloudFront, it removes expired files and does not collapse concurrent requests.
 */
export function createEdgeCache(
  policy: CachePolicy,
  forward: Forward,
  now: () => number = Date.now,
  maxBytes = MAX_BYTES,
) {
  const { Headers } = policy.ParametersInCacheKeyAndForwardedToOrigin.HeadersConfig;
  /** The cached files, the least recently used first. */
  const files = new Map<string, Stored>();
  let bytes = 0;

  const remove = (key: string): void => {
    const file = files.get(key);
    if (!file) return;
    bytes -= sizeOf(key, file);
    files.delete(key);
  };
  const store = (key: string, file: Stored): void => {
    remove(key);
    bytes += sizeOf(key, file);
    files.set(key, file);
    for (const oldest of files.keys()) {
      if (bytes <= maxBytes) break;
      remove(oldest);
    }
  };
  const find = (key: string): Stored | undefined => {
    const file = files.get(key);
    if (!file) return undefined;
    if (now() >= file.expiresAt) {
      remove(key);
      return undefined;
    }
    files.delete(key);
    files.set(key, file);
    return file;
  };
  const storeResponse =
    (key: string): OnResponse =>
    (appResponse) => {
      const lifetime = lifetimeOf(appResponse.headers, policy, now()) * 1000;
      const { statusCode: status = 0 } = appResponse;
      if (lifetime <= 0 || status === 206 || status === 304) return;
      const chunks: Buffer[] = [];
      let length = 0;
      appResponse.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= MAX_FILE_BYTES) chunks.push(chunk);
      });
      appResponse.once('end', () => {
        if (!appResponse.complete || length > MAX_FILE_BYTES) return;
        const storedAt = now();
        const headers = stripHopByHop(appResponse.headers);
        store(key, { status, headers, body: Buffer.concat(chunks), storedAt, expiresAt: storedAt + lifetime });
      });
    };

  /** Answers a request to an application, from the cache or from the application. */
  return async ({ forwardTo, headers }: Forwarding, request: IncomingMessage, response: ServerResponse) => {
    const isCacheable = request.method === 'GET' || request.method === 'HEAD';
    // The application receives the headers that the edge function set, except the host name: the local run's includes the port.
    for (const name of Headers) if (name !== 'x-forwarded-host') request.headers[name] = headers[name];
    if (isCacheable) normalizeEncoding(request.headers);
    const encoding = request.headers['accept-encoding'];
    const key = JSON.stringify([Headers.map((name) => headers[name]), request.url, encoding]);
    const file = isCacheable ? find(key) : undefined;
    if (file) {
      request.resume();
      answerFrom(file, request, response, now());
      return;
    }
    response.setHeader('x-cache', 'Miss from cloudfront');
    await forward(forwardTo, request, response, request.method === 'GET' ? storeResponse(key) : undefined);
  };
}

/** Encodings that CloudFront supports, best first. */
export const ENCODINGS = ['br', 'gzip'] as const;

/** Returns the encodings that a client accepts, best first. */
export function acceptedEncodings({ 'accept-encoding': header = '' }: IncomingHttpHeaders) {
  const accepted = header
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';')[0]?.trim());
  return ENCODINGS.filter((each) => accepted.includes(each));
}

/** Reduces a request's encodings to those that the policy distinguishes, in a fixed order. */
function normalizeEncoding(headers: IncomingHttpHeaders): void {
  const known = acceptedEncodings(headers);
  if (known.length > 0) headers['accept-encoding'] = known.join(',');
  else delete headers['accept-encoding'];
}

/** Returns the seconds for which a response may be cached; zero or less if it may not. */
function lifetimeOf(headers: IncomingHttpHeaders, { DefaultTTL, MaxTTL }: CachePolicy, now: number): number {
  const cacheControl = headers['cache-control'] ?? '';
  if (/\b(no-store|no-cache|private)\b/i.test(cacheControl)) return 0;
  const seconds = /\bs-maxage=(\d+)/i.exec(cacheControl) ?? /\bmax-age=(\d+)/i.exec(cacheControl);
  if (seconds) return Math.min(Number(seconds[1]), MaxTTL);
  if (headers.expires === undefined) return DefaultTTL;
  const expires = (Date.parse(headers.expires) - now) / 1000;
  return Number.isNaN(expires) ? 0 : Math.min(expires, MaxTTL);
}

/** Answers a request from the cache, including conditional and range requests. */
function answerFrom(file: Stored, request: IncomingMessage, response: ServerResponse, now: number): void {
  const { status, contentRange, body } = selectPart(file, request.headers);
  const headers: OutgoingHttpHeaders = { ...file.headers, 'content-length': body.length };
  headers.age = String(Math.floor((now - file.storedAt) / 1000));
  headers['x-cache'] = 'Hit from cloudfront';
  if (contentRange !== undefined) headers['content-range'] = contentRange;
  response.writeHead(status, headers).end(request.method === 'HEAD' || status === 304 ? undefined : body);
}

/** Returns the requested part of a file. */
function selectPart(
  file: Stored,
  requestHeaders: IncomingHttpHeaders,
): { status: number; contentRange?: string; body: Buffer } {
  const { body } = file;
  if (isNotModified(requestHeaders, file.headers)) return { status: 304, body };
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(requestHeaders.range ?? '') ?? [];
  if (file.status !== 200 || from + to === '') return { status: file.status, body };
  const start = from === '' ? Math.max(body.length - Number(to), 0) : Number(from);
  const end = from === '' || to === '' ? body.length - 1 : Math.min(Number(to), body.length - 1);
  if (start > end) return { status: 416, contentRange: `bytes */${body.length}`, body: Buffer.alloc(0) };
  return { status: 206, contentRange: `bytes ${start}-${end}/${body.length}`, body: body.subarray(start, end + 1) };
}

/** Returns true if a conditional request shows that the client has the current file. */
function isNotModified(
  requestHeaders: IncomingHttpHeaders,
  { etag, 'last-modified': modified }: OutgoingHttpHeaders,
): boolean {
  const strongTag = (tag: string) => tag.trim().replace(/^W\//, '');
  const tags = requestHeaders['if-none-match'];
  if (tags !== undefined) {
    return (
      tags.trim() === '*' ||
      (etag !== undefined &&
        tags
          .split(',')
          .map(strongTag)
          .includes(strongTag(String(etag))))
    );
  }
  const since = Date.parse(requestHeaders['if-modified-since'] ?? '');
  return Date.parse(String(modified)) <= since;
}
