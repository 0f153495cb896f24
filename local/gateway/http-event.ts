import { randomUUID } from 'node:crypto';
import { ACCOUNT } from '../addresses.ts';
import { isTextBody } from '../emulators/lambda/event-body.ts';
import type { JsonObject } from '../template/intrinsics.ts';
import type { RouteMatch } from './routes.ts';

/** A request with its body. */
export interface HttpRequest {
  method: string;
  /** Path and query, unchanged. */
  target: string;
  /** Alternating names and values, unchanged. */
  rawHeaders: readonly string[];
  httpVersion: string;
  sourceIp: string;
  body: Buffer;
}

const decode = (text: string): string => {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
};

/** Returns the query parameters. Joins the values of repeated ones by commas. */
export function queryParameters(rawQuery: string): Record<string, string> | undefined {
  if (rawQuery === '') return undefined;
  const parameters: Record<string, string> = Object.create(null);
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    parameters[name] = Object.hasOwn(parameters, name) ? `${parameters[name]},${value}` : value;
  }
  return { ...parameters };
}

/** Returns the headers by lower-case name, with repeated ones joined by commas, and the list of cookies. */
function headersOf(rawHeaders: readonly string[]): { headers: Record<string, string>; cookies: string[] } {
  const headers: Record<string, string> = Object.create(null);
  const cookies: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (name === 'cookie') cookies.push(...value.split(/;\s*/).filter(Boolean));
    else headers[name] = Object.hasOwn(headers, name) ? `${headers[name]},${value}` : value;
  }
  return { headers: { ...headers }, cookies };
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a time for `requestContext.time`: `12/Mar/2026:19:03:58 +0000`. */
const logTime = (now: Date): string =>
  `${twoDigits(now.getUTCDate())}/${MONTHS[now.getUTCMonth()]}/${now.getUTCFullYear()}:` +
  `${twoDigits(now.getUTCHours())}:${twoDigits(now.getUTCMinutes())}:${twoDigits(now.getUTCSeconds())} +0000`;

/** Drops the origin of a request line's target (`GET http://host/path`). */
export const withoutOrigin = (target: string): string => target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i, '/');

/** Splits the target of a request line into path and query, without an origin. */
export function splitTarget(target: string): { path: string; query: string } {
  const local = withoutOrigin(target).replace(/#.*$/s, '');
  const mark = local.indexOf('?');
  const path = mark < 0 ? local : local.slice(0, mark);
  return { path: path.startsWith('/') ? path : `/${path}`, query: mark < 0 ? '' : local.slice(mark + 1) };
}

/** Returns the event of an HTTP API, payload format 2.0. */
export function toHttpEvent(request: HttpRequest, { route, pathParameters }: RouteMatch, now = new Date()): JsonObject {
  const { path, query } = splitTarget(request.target);
  const { headers, cookies } = headersOf(request.rawHeaders);
  const forwarded = headers['x-forwarded-for'];
  headers['x-forwarded-for'] = forwarded ? `${forwarded}, ${request.sourceIp}` : request.sourceIp;
  headers['x-forwarded-proto'] ??= 'http';
  // The edge's headers replace headers of the same name from the client.
  if (route.headers) Object.assign(headers, route.headers, { 'x-viewer-address': request.sourceIp });
  const host = headers.host ?? 'localhost';
  const parameters = queryParameters(query);
  const isText = isTextBody(headers);
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath: path,
    rawQueryString: query,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers,
    ...(parameters ? { queryStringParameters: parameters } : {}),
    requestContext: {
      accountId: ACCOUNT,
      apiId: 'local',
      domainName: host,
      domainPrefix: host.split('.')[0] ?? host,
      http: {
        method: request.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      // Node caches random numbers for these ids, so they cost almost nothing.
      requestId: randomUUID(),
      routeKey: route.key,
      stage: '$default',
      time: logTime(now),
      timeEpoch: now.getTime(),
    },
    ...(Object.keys(pathParameters).length > 0 ? { pathParameters } : {}),
    ...(request.body.length > 0 ? { body: request.body.toString(isText ? 'utf8' : 'base64') } : {}),
    isBase64Encoded: request.body.length > 0 && !isText,
  };
}
