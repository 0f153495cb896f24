import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import { type Answer, type Client, type ClientOptions, createClient } from '../../contract/client.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { type CallerInput, type Output, type Route, SCOPES, type Scope } from '../../contract/route.ts';
import { type AccessClaims, openLoginKey, signAccessToken } from '../../local/emulators/login/key.ts';
import type { Local } from './platform.ts';

export const local = inject('local');
const { baseUrl } = local;

/** A client whose successful answers are held against the contract: every field there, with its type. */
export function clientOf(options: Omit<ClientOptions, 'baseUrl'>, of: Local = local): Client {
  const client = createClient({ baseUrl: of.baseUrl, ...options });
  return {
    async call<R extends Route>(route: R, input?: CallerInput<R>): Promise<Answer<Output<R>>> {
      const answer = await client.call(route, input);
      if (answer.status < 300) {
        expect(answer.status).toBe(route.status);
        route.response?.().parse(answer.body);
      } else expect(Object.keys(answer.error ?? {}).sort()).toEqual(['code', 'message', 'status']);
      return answer;
    },
  };
}

export interface Opened extends Client {
  id: string;
  secretKey: string;
  publicKey: string;
  /** The same account, called with a login: every operation at the dashboard's path. */
  dashboard: Client;
  accessToken: string;
}

/** An access token for a subject, as a sign-in gives it; `claims` to depart from what is right. */
export async function accessTokenOf(
  subject: string,
  claims: Partial<AccessClaims> = {},
  { of = local, seconds = 3600 } = {},
): Promise<string> {
  const key = await openLoginKey(of.login.keyFile);
  return await signAccessToken(key, { ...of.login, subject, ...claims }, seconds);
}

/** Opens an account of the test's own, with one key. */
export async function newAccount(
  {
    appLimit = 10,
    scopes = [...SCOPES] as Scope[],
    walletCents = 0,
    aiCreditsMicroRand = 0,
    login = randomUUID() as string,
  } = {},
  of: Local = local,
): Promise<Opened> {
  Object.assign(process.env, of.environment);
  const [{ openAccount }, { deps }] = await Promise.all([
    import('../../domain/accounts/accounts.ts'),
    import('../../runtime/deps.ts'),
  ]);
  const plan = { slug: 'app-test', name: 'Test', appLimit };
  const keys = [{ name: 'test', scopes }];
  const opened = await openAccount(deps, {
    ...{ email: 'test@example.com', name: 'Test', plan, walletCents, aiCreditsMicroRand, keys, login },
  });
  const [key] = opened.keys;
  if (!key) throw new Error('an account without a key');
  const { secretKey, publicKey } = key;
  const accessToken = await accessTokenOf(login, {}, { of });
  const dashboard = clientOf({ accessToken: () => accessToken }, of);
  return { id: opened.id, secretKey, publicKey, dashboard, accessToken, ...clientOf({ secretKey }, of) };
}

/** The code of a refusal; undefined for a success. */
export const codeOf = (answer: Answer<unknown>): ErrorCode | undefined => answer.error?.code;

/** Waits until something is so; the test's own time limit ends it otherwise. */
export async function until<T>(look: () => Promise<T | undefined | false>, pause = 100): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** Sends a request as it stands, past the typed client. */
export const raw = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${baseUrl}${path}`, init);
