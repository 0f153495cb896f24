import { getMe } from '../../contract/accounts/me.ts';
import { type ApiResponse, createClient } from '../../contract/client.ts';
import { isNotAMember, isUnknownOperation } from '../../contract/errors.ts';
import { ACCOUNT_HEADER } from '../../contract/roles.ts';
import { type CallerInput, type Output, type Path, type Route, toDashboardPath } from '../../contract/route.ts';
import { chosenAccount, leaveAccount } from '../login/account-choice.ts';
import type { Session } from '../login/session.ts';
import type { Settings } from '../settings.ts';
import { Failure, toFailure } from './failure.ts';

/** Duration after which a pending call counts as slow. */
const SLOW_AFTER_MS = 4000;
/** Timeout of a call. */
const TIMEOUT_MS = 35_000;

/** Typed API client of the signed-in user. */
export class Api {
  readonly session: Session;
  /** Number of pending calls that exceed {@link SLOW_AFTER_MS}. */
  slowCalls = 0;
  readonly #settings: Settings;
  /**
   * The account that this page acts in, even after the tab chooses another account for its next page. Every request has to name it:
   * without the header the API uses the login's own account, which changes when a membership ends.
   */
  #account: string | undefined;
  readonly #listeners = new Set<() => void>();

  /** URL of an example repository; empty if the installation offers none. */
  get exampleRepository(): string {
    return this.#settings.exampleRepository;
  }

  constructor(settings: Settings, session: Session) {
    this.#settings = settings;
    this.session = session;
  }

  /**
   * Calls an operation of the contract at its dashboard path. Throws {@link Failure}. While the user has to sign in again, the call waits.
   */
  async call<R extends Route>(
    route: R,
    input?: CallerInput<R>,
    { idempotencyKey }: { idempotencyKey?: string | undefined } = {},
  ): Promise<Output<R>> {
    const baseUrl = this.#settings.apiUrl;
    const attempt = async (token: string): Promise<ApiResponse<Output<R>>> => {
      const account = await this.#accountHeader(route.method === 'GET');
      const headers = { ...account, ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}) };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const send = (url: string, init: RequestInit) => fetch(url, { ...init, signal });
      const client = createClient({ baseUrl, accessToken: () => token, headers, fetch: send });
      return await this.#trackSlowness(client.call(route, input));
    };
    const output = unwrap(await this.#withToken(attempt));
    if (route.id === getMe.id) this.#account ??= (output as Output<typeof getMe>).data.account.id;
    return output;
  }

  /** Returns the header that names the account. Until `getMe` reports the account, reads omit the header and writes wait for it. */
  async #accountHeader(isRead = false): Promise<Record<string, string>> {
    this.#account ??= chosenAccount();
    if (this.#account === undefined && !isRead) await this.call(getMe);
    return this.#account === undefined ? {} : { [ACCOUNT_HEADER]: this.#account };
  }

  /** Calls an operation whose response is a stream (chat completions). Throws {@link Failure}. */
  async stream({ path }: { path: Path }, body: object, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const attempt = async (token: string): Promise<Response> => {
      const account = await this.#accountHeader();
      return await fetch(`${this.#settings.apiUrl}${toDashboardPath(path) ?? path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...account },
        body: JSON.stringify(body),
        signal,
      });
    };
    const response = await this.#withToken(attempt);
    if (response.ok && response.body) return response.body;
    throw await readError(response);
  }

  /** Downloads a document that is not JSON, such as a PDF. Throws {@link Failure}. */
  async download(path: Path): Promise<Blob> {
    const attempt = async (token: string): Promise<Response> =>
      await fetch(`${this.#settings.apiUrl}${toDashboardPath(path) ?? path}`, {
        headers: { authorization: `Bearer ${token}`, ...(await this.#accountHeader(true)) },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    const response = await this.#trackSlowness(this.#withToken(attempt));
    if (response.ok) return await response.blob();
    throw await readError(response);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Sends a request. If the API rejects the token, which may have been revoked before it expired, retries once with a new one. */
  async #withToken<T extends { status: number }>(attempt: (token: string) => Promise<T>): Promise<T> {
    try {
      const token = await this.session.token();
      const response = await attempt(token);
      if (response.status !== 401) return response;
      this.session.markRejected(token);
      return await attempt(await this.session.token());
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw toFailure(error);
    }
  }

  async #trackSlowness<T>(work: Promise<T>): Promise<T> {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#addSlowCalls(1);
    }, SLOW_AFTER_MS);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      if (isSlow) this.#addSlowCalls(-1);
    }
  }

  #addSlowCalls(by: number): void {
    this.slowCalls += by;
    for (const listener of this.#listeners) listener();
  }
}

async function readError(response: Response): Promise<Failure> {
  const { error } = (await response.json().catch(() => ({}))) as Pick<ApiResponse<unknown>, 'error'>;
  return errorFrom(response.status, response.headers, error);
}

/** Shown while the page and the API are of different versions: a page that is newer waits for the API, and one that is older has to go. */
const OTHER_VERSION =
  'The service has been updated, or is being updated. Nothing was changed. Reload the page, and try again in a few minutes if that does not help.';

function errorFrom(status: number, headers: Headers, error: ApiResponse<unknown>['error']): Failure {
  if (error && isNotAMember(error)) {
    // The membership has ended: continue in the login's own account.
    leaveAccount();
    location.assign(import.meta.env.BASE_URL);
  }
  const retryAfter = Number(headers.get('retry-after')) || undefined;
  const message = error?.message ?? `The service responded with status ${status}. Try again in a moment.`;
  return new Failure(error && isUnknownOperation(error) ? OTHER_VERSION : message, {
    status,
    code: error?.code ?? 'server_error',
    retryAfter,
    requestId: headers.get('x-request-id') ?? undefined,
  });
}

function unwrap<T>({ status, headers, body, error }: ApiResponse<T>): T {
  if (status < 300) return body;
  throw errorFrom(status, headers, error);
}
