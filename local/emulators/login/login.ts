import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Provider } from 'oidc-provider';
import { handleInteraction } from './interaction.ts';
import { openLoginKey, publicKeyOf, signAccessToken } from './key.ts';
import type { LoginFacts } from './provider.ts';
import { type NewUser, openUsers, type Users } from './users.ts';

/** Path of the login's pages and endpoints on the public address. */
export const LOGIN_PATH = '/oidc';
const CLIENT_ID = 'dashboard';
/** Validity of the tokens in `local.json`, in seconds. */
const DAY_SECONDS = 86_400;

export interface LoginEmulator {
  facts: LoginFacts;
  /** Environment variables for functions. */
  variables: Record<string, string>;
  /** Serves the login's pages and endpoints below {@link LOGIN_PATH}. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Returns the subject of a user. Adds the user unless one with this email address exists. */
  subjectOf(user: NewUser): Promise<string>;
  /** Replaces the password of the user with this email address. */
  setPassword(user: { email: string; password: string }): Promise<void>;
  /** The users, for the API of the user pool. */
  users: Users;
  /** Returns an access token that is valid for a day. */
  tokenFor(subject: string): Promise<string>;
  stop(): Promise<void>;
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
};

/**
 * Starts an emulator of Cognito's login: the same protocol (OpenID Connect, authorization code with PKCE), the same claims, and
 * pages to sign in and sign up. All state is in the data directory.
 */
export async function startLogin({ dataDir, baseUrl }: { dataDir: string; baseUrl: string }): Promise<LoginEmulator> {
  const folder = join(dataDir, 'login');
  const keyFile = join(folder, 'key.json');
  const key = await openLoginKey(keyFile);
  const users = openUsers(join(folder, 'users.json'));
  const issuer = `${baseUrl}${LOGIN_PATH}`;
  const facts: LoginFacts = { issuer, clientId: CLIENT_ID, audience: `${baseUrl}/dashboard/v1`, keyFile };
  const published = { keys: [publicKeyOf(key)] };
  const keys = createLocalJWKSet(published);

  let starting: Promise<{ provider: Provider; close(): void }> | undefined;
  const provider = () => {
    starting ??= import('./provider.ts').then(({ startProvider }) =>
      startProvider({ folder, baseUrl, facts, key, users }),
    );
    return starting;
  };

  /**
   * Returns the user of an access token. Replaces oidc-provider's endpoint, which refuses tokens whose audience is an API.
   * Cognito's endpoint accepts them.
   */
  const userInfo = async (authorization = '') => {
    const token = authorization.replace(/^Bearer +/i, '');
    const subject = await jwtVerify(token, keys, { issuer }).then(
      ({ payload }) => payload.sub,
      () => undefined,
    );
    const user = users.bySubject(subject ?? '');
    return user && { sub: user.subject, email: user.email, email_verified: true, name: user.name };
  };

  return {
    facts,
    variables: { LOGIN_ISSUER: issuer, LOGIN_CLIENT_ID: CLIENT_ID },
    async handle(request, response) {
      const target = (request.url ?? '').slice(LOGIN_PATH.length);
      const [path = ''] = target.split('?');
      if (path === '/.well-known/jwks.json') return answer(response, 200, published);
      if (path === '/userinfo') {
        const info = await userInfo(request.headers.authorization);
        return answer(response, info ? 200 : 401, info ?? { error: 'invalid_token' });
      }
      const { provider: oidc } = await provider();
      // oidc-provider expects a path relative to its mount path, which it derives from the original URL.
      Object.assign(request, { originalUrl: request.url, url: target });
      if (path.startsWith('/interaction/')) return await handleInteraction(oidc, users, request, response);
      await oidc.callback()(request, response);
    },
    subjectOf: async (user) => (await users.ensure(user)).subject,
    setPassword: users.setPassword,
    users,
    tokenFor: (subject) =>
      signAccessToken(key, { ...facts, subject, groups: users.bySubject(subject)?.groups }, DAY_SECONDS),
    stop: async () => (await starting)?.close(),
  };
}
