import { type Answer, createClient } from '../../contract/client.ts';
import { type CallerInput, dashboardPathOf, type Output, type Path, type Route } from '../../contract/route.ts';
import type { Session } from '../login/session.ts';
import type { Settings } from '../settings.ts';
import { Failure, failureOf } from './failure.ts';

/** A call that takes longer is mentioned, in milliseconds. */
const SLOW_AFTER = 4000;
/** A call that takes longer is given up, in milliseconds. */
const DEADLINE = 35_000;

/** The typed API as the person who is signed in. */
export class Api {
  readonly session: Session;
  /** How many calls are taking long right now. */
  slow = 0;
  readonly #settings: Settings;
  readonly #listeners = new Set<() => void>();

  constructor(settings: Settings, session: Session) {
    this.#settings = settings;
    this.session = session;
  }

  /**
   * Calls an operation of the contract, at its path for logins. Throws {@link Failure}. Waits while the person has to sign in again.
   */
  async call<R extends Route>(
    route: R,
    input?: CallerInput<R>,
    { idempotencyKey }: { idempotencyKey?: string | undefined } = {},
  ): Promise<Output<R>> {
    const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
    const baseUrl = this.#settings.apiUrl;
    const once = async (token: string): Promise<Answer<Output<R>>> => {
      const signal = AbortSignal.timeout(DEADLINE);
      const send = (url: string, init: RequestInit) => fetch(url, { ...init, signal });
      const client = createClient({ baseUrl, accessToken: () => token, headers, fetch: send });
      return await this.#timed(client.call(route, input));
    };
    return bodyOf(await this.#withToken(once));
  }

  /** A call whose answer is not JSON: the chat's stream. Throws {@link Failure}. */
  async stream({ path }: { path: Path }, body: object, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const once = async (token: string): Promise<Response> =>
      await fetch(`${this.#settings.apiUrl}${dashboardPathOf(path) ?? path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
    const answer = await this.#withToken(once);
    if (answer.ok && answer.body) return answer.body;
    const { error } = (await answer.json().catch(() => ({}))) as Pick<Answer<unknown>, 'error'>;
    throw failed(answer.status, answer.headers, error);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A token may have been revoked before its time: then once more with a new one. */
  async #withToken<T extends { status: number }>(once: (token: string) => Promise<T>): Promise<T> {
    try {
      const token = await this.session.token();
      const answer = await once(token);
      if (answer.status !== 401) return answer;
      this.session.refuse(token);
      return await once(await this.session.token());
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw failureOf(error);
    }
  }

  async #timed<T>(work: Promise<T>): Promise<T> {
    let late = 0;
    const timer = setTimeout(() => {
      late = 1;
      this.#count(1);
    }, SLOW_AFTER);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      if (late) this.#count(-1);
    }
  }

  #count(by: number): void {
    this.slow += by;
    for (const listener of this.#listeners) listener();
  }
}

function failed(status: number, headers: Headers, error: Answer<unknown>['error']): Failure {
  const retryAfter = Number(headers.get('retry-after')) || undefined;
  return new Failure(error?.message ?? `The service answered ${status}.`, {
    ...{ status, code: error?.code ?? 'server_error', retryAfter },
    requestId: headers.get('x-request-id') ?? undefined,
  });
}

function bodyOf<T>({ status, headers, body, error }: Answer<T>): T {
  if (status < 300) return body;
  throw failed(status, headers, error);
}
