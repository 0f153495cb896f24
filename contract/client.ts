import type { ErrorCode } from './errors.ts';
import { type CallerInput, type Output, type Route, toDashboardPath } from './route.ts';

export interface ClientOptions {
  baseUrl: string;
  /** Sent as `Authorization: Bearer`. */
  secretKey?: string;
  /** Sent as `X-Public-Key`. */
  publicKey?: string;
  /** Returns the access token of a login, before each call. With it, every operation is called at its dashboard path. */
  accessToken?: () => string | Promise<string>;
  headers?: Record<string, string>;
  /** Replaces the global `fetch`, for example to add a timeout. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** A response. `body` is typed for a successful `status`, `error` for a failed one. */
export interface ApiResponse<T> {
  status: number;
  headers: Headers;
  body: T;
  error: Failure['error'] | undefined;
}

interface Failure {
  error: { message: string; code: ErrorCode; status: number };
}

export interface Client {
  call<R extends Route>(route: R, input?: CallerInput<R>): Promise<ApiResponse<Output<R>>>;
}

/** Replaces `{name}` in a path by an encoded value; in a value for `{name+}`, slashes stay. */
const fillPath = (path: string, name: string, value: string) =>
  path
    .replace(`{${name}}`, () => encodeURIComponent(value))
    .replace(`{${name}+}`, () => value.split('/').map(encodeURIComponent).join('/'));

/** A client typed by the contract: `client.call(createApp, { body: { name: 'My app' } })`. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, secretKey, publicKey, accessToken, headers = {}, fetch: send = fetch } = options;
  const identity: Record<string, string> = {
    ...(secretKey ? { authorization: `Bearer ${secretKey}` } : {}),
    ...(publicKey ? { 'x-public-key': publicKey } : {}),
  };
  return {
    async call<R extends Route>(route: R, input?: CallerInput<R>): Promise<ApiResponse<Output<R>>> {
      const { params = {}, query = {}, body } = (input ?? {}) as { params?: object; query?: object; body?: unknown };
      const path = Object.entries(params).reduce<string>(
        (filled, [name, value]) => fillPath(filled, name, String(value)),
        (accessToken && toDashboardPath(route.path)) ?? route.path,
      );
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
      ).toString();
      const response = await send(`${baseUrl}${path}${search ? `?${search}` : ''}`, {
        method: route.method,
        headers: {
          ...identity,
          ...(accessToken ? { authorization: `Bearer ${await accessToken()}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const parsed = (await response.json()) as Output<R> & Partial<Failure>;
      return { status: response.status, headers: response.headers, body: parsed, error: parsed.error };
    },
  };
}
