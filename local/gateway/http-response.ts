import { isObject, type Json } from '../template/intrinsics.ts';

/** An HTTP response. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  cookies: string[];
  body: Buffer | string;
}

const gateway = (status: number, message: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  cookies: [],
  body: JSON.stringify({ message }),
});

/** The gateway's own responses. */
export const INTERNAL_SERVER_ERROR = gateway(500, 'Internal Server Error');
export const SERVICE_UNAVAILABLE = gateway(503, 'Service Unavailable');
export const NOT_FOUND = gateway(404, 'Not Found');

/** Returns an error in the platform's standard shape for requests that reach no function. */
export const errorResponse = (status: number, message: string, code = 'invalid_request'): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  cookies: [],
  body: JSON.stringify({ error: { message, code, status } }),
});

/** Converts a function's result as an HTTP API does (payload format 2.0). */
export function toHttpResponse(result: Json): HttpResponse {
  if (!isObject(result) || result.statusCode === undefined) {
    // Without a status code, the whole result is the body.
    const body = typeof result === 'string' ? result : JSON.stringify(result);
    return { status: 200, headers: { 'content-type': 'application/json' }, cookies: [], body };
  }
  const { statusCode, headers = {}, body = '', cookies = [], isBase64Encoded = false } = result;
  const status = Number(statusCode);
  const wellFormed =
    Number.isInteger(status) &&
    status >= 200 &&
    status <= 599 &&
    (headers === null || isObject(headers)) &&
    (body === null || typeof body === 'string') &&
    Array.isArray(cookies);
  if (!wellFormed) return INTERNAL_SERVER_ERROR;
  const lower: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== null) lower[name.toLowerCase()] = String(value);
  }
  // The gateway sets these headers itself.
  delete lower['content-length'];
  delete lower.connection;
  delete lower['transfer-encoding'];
  if (body) lower['content-type'] ??= 'text/plain;charset=UTF-8';
  return {
    status,
    headers: lower,
    cookies: cookies.map(String),
    body: isBase64Encoded === true ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
}
