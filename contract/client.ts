import type { ErrorCode } from './errors.ts';
import { type CallerInput, type Output, type Route, toDashboardPath } from './route.ts';

export interface ClientOptions {
  baseUrl: string;
  /** Sent as `Authorization: Bearer`. */
  secretKey?: string;
  /** Sent as `X-Public-Key`. */
  publicKey?: string;
  /** The access token of a login: every operation is then called at the dashboard's path. Asked for with each call. */
  accessToken?: () => string | Promise<string>;
  headers?: Record<string, string>;
  /** Sends in place of the global one: with a deadline, for example. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** An answer, successful or not: `status` tells; `body` is typed for success, `error` for failure. */
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

/** Puts a value in the place of `{name}`, or of `{name+}`, which may have slashes. */
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
      const answer = await send(`${baseUrl}${path}${search ? `?${search}` : ''}`, {
        method: route.method,
        headers: {
          ...identity,
          ...(accessToken ? { authorization: `Bearer ${await accessToken()}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const parsed = (await answer.json()) as Output<R> & Partial<Failure>;
      return { status: answer.status, headers: answer.headers, body: parsed, error: parsed.error };
    },
  };
}
