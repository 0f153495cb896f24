import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import { type ApiResponse, type Client, type ClientOptions, createClient } from '../../contract/client.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { LimitOverrides } from '../../contract/limits/limits.ts';
import { type CallerInput, type Output, type Route, SCOPES, type Scope } from '../../contract/route.ts';
import { openAccount } from '../../domain/accounts/accounts.ts';
import type { Deps } from '../../domain/deps.ts';
import { overrideLimits } from '../../domain/limits/overrides.ts';
import { type AccessClaims, openLoginKey, signAccessToken } from '../../local/emulators/login/key.ts';
import { documentedFetch } from './documented-fetch.ts';
import type { Local } from './platform.ts';
import { unlistedFields, walkable } from './schemas.ts';

export const local = inject('local');
const { baseUrl } = local;

/** Returns a secret of the platform by the variable that names it. */
export const secretOf = (variable: string): string => local.secrets[local.environment[variable] ?? ''] ?? '';

/** Returns the header that the edge adds, for calls of a function in this process. */
export const throughTheEdge = (): Record<string, string> => ({
  'x-origin-secret': secretOf('ORIGIN_SECRET_NAME'),
});

/** A refused request whose answer a test read as a success. */
class UnexpectedRefusal extends Error {
  readonly status: number;
  /** Seconds after which the platform asks the client to repeat the request, if it does. */
  readonly retryAfter: number | undefined;
  constructor(operation: string, { status, error, headers }: ApiResponse<unknown>) {
    super(`${operation} answered ${status} ${error?.code}: ${error?.message}`);
    this.status = status;
    const after = headers.get('retry-after');
    this.retryAfter = after === null ? undefined : Number(after);
  }
}

/** Returns a client whose refused answers say what happened to a test that reads their `body.data`, which they do not have. */
export function withReadableErrors(client: Client): Client {
  return {
    async call<R extends Route>(route: R, input?: CallerInput<R>): Promise<ApiResponse<Output<R>>> {
      const answer = await client.call(route, input);
      if (!answer.error) return answer;
      const get = () => {
        throw new UnexpectedRefusal(`${route.method} ${route.path}`, answer);
      };
      Object.defineProperty(answer.body, 'data', { get });
      return answer;
    },
  };
}

/** Creates a client that validates successful responses against the contract: every field with its type, and no other. */
export function clientOf(options: Omit<ClientOptions, 'baseUrl'>, of: Local = local): Client {
  const client = withReadableErrors(createClient({ baseUrl: of.baseUrl, fetch: documentedFetch, ...options }));
  return {
    async call<R extends Route>(route: R, input?: CallerInput<R>): Promise<ApiResponse<Output<R>>> {
      const answer = await client.call(route, input);
      if (answer.status < 300) {
        expect(answer.status).toBe(route.status);
        const schema = route.response?.();
        schema?.parse(answer.body);
        expect(schema ? unlistedFields(walkable(schema), answer.body) : []).toEqual([]);
      } else expect(Object.keys(answer.error ?? {}).sort()).toEqual(['code', 'message', 'status']);
      return answer;
    },
  };
}

export interface OpenedAccount extends Client {
  id: string;
  secretKey: string;
  publicKey: string;
  /** Clients with one key each, in the order of the keys. */
  clients: Client[];
  /** Client with a login of the account: calls every operation at the dashboard's path. */
  dashboard: Client;
  accessToken: string;
}

/** Signs an access token for a subject, as a sign-in would; `claims` overrides the valid claims. */
export async function accessTokenOf(
  subject: string,
  claims: Partial<AccessClaims> = {},
  { of = local, seconds = 3600 } = {},
): Promise<string> {
  const key = await openLoginKey(of.login.keyFile);
  return await signAccessToken(key, { ...of.login, subject, ...claims }, seconds);
}

/** Dependencies of the platform's functions, in this process. */
export async function platformDeps(of: Local = local): Promise<Deps> {
  Object.assign(process.env, of.environment);
  return (await import('../../runtime/deps.ts')).deps;
}

/** Opens an account for a test, with one key. */
export async function newAccount(
  {
    appLimit = 10,
    scopes = [...SCOPES] as Scope[],
    walletCents = 0,
    aiCreditsMicroRand = 0,
    login = randomUUID() as string,
    email = 'test@example.com',
    /** Number of API keys. Requests take turns on them, because a key has 120 a minute; with more than one, the account has no limit. */
    keyCount = 1,
  } = {},
  of: Local = local,
): Promise<OpenedAccount> {
  const plan = { slug: 'app-test', name: 'Test', appLimit };
  const keys = Array.from({ length: keyCount }, () => ({ name: 'test', scopes }));
  const opened = await openAccount(await platformDeps(of), {
    email,
    name: 'Test',
    plan,
    walletCents,
    aiCreditsMicroRand,
    keys,
    login,
  });
  const [key] = opened.keys;
  if (!key) throw new Error('an account without a key');
  const { secretKey, publicKey } = key;
  const accessToken = await accessTokenOf(login, {}, { of });
  const dashboard = clientOf({ accessToken: () => accessToken }, of);
  if (keyCount > 1) await setLimits(opened.id, { requestsPerMinute: 1_000_000 }, of);
  const clients = opened.keys.map((each) => clientOf({ secretKey: each.secretKey }, of));
  let turn = 0;
  const call: Client['call'] = (route, input) => {
    turn += 1;
    return (clients[turn % clients.length] ?? dashboard).call(route, input);
  };
  return { id: opened.id, secretKey, publicKey, clients, dashboard, accessToken, call };
}

/** Sets limits of an account as an operator does; null removes one. */
export async function setLimits(
  accountId: string,
  limits: { [Name in keyof LimitOverrides]?: number | null | undefined },
  of: Local = local,
): Promise<void> {
  await overrideLimits(await platformDeps(of), accountId, limits);
}

/** Returns the error code; undefined for a success. */
export const codeOf = (answer: ApiResponse<unknown>): ErrorCode | undefined => answer.error?.code;

/**
 * Polls until a value is available; the test's own time limit ends it otherwise. Pauses grow from 100 ms to `maxPause`: one key
 * may send 120 requests a minute. A request that the rate limit refuses is repeated after its `Retry-After`, as clients do.
 */
export async function waitFor<T>(look: () => Promise<T | undefined | false>, maxPause = 1000): Promise<T> {
  for (let pause = Math.min(100, maxPause); ; pause = Math.min(pause * 1.3, maxPause)) {
    let retryAfter = 0;
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
    } catch (error) {
      if (!(error instanceof UnexpectedRefusal) || error.status !== 429) throw error;
      retryAfter = (error.retryAfter ?? 1) * 1000;
    }
    await new Promise((done) => setTimeout(done, Math.max(pause, retryAfter)));
  }
}

/** Sends a raw request, without the typed client. */
export const raw = (path: string, init: RequestInit = {}): Promise<Response> =>
  documentedFetch(`${baseUrl}${path}`, init);
