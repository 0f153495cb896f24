import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Provider } from 'oidc-provider';
import { interact } from './interaction.ts';
import { openLoginKey, publicHalf, signAccessToken } from './key.ts';
import type { LoginFacts } from './provider.ts';
import { type NewUser, openUsers } from './users.ts';

/** Where the pages and endpoints of the login are, below the one public address. */
export const LOGIN_PATH = '/oidc';
const CLIENT_ID = 'dashboard';
/** How long the tokens in `local.json` are valid, in seconds. */
const DAY = 86_400;

export interface LoginStandIn {
  facts: LoginFacts;
  /** Variables of functions. */
  variables: Record<string, string>;
  /** Answers a request below {@link LOGIN_PATH}. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The subject of a user, who is added if there is none with this address. */
  subjectOf(user: NewUser): Promise<string>;
  /** An access token that is valid for a day. */
  tokenFor(subject: string): Promise<string>;
  stop(): Promise<void>;
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
};

/**
 * The issuer of logins, in Cognito's place: the same protocol (OpenID Connect, code flow with PKCE), pages to sign in and
 * up, the same claims. All state is in the data directory.
 */
export async function startLogin({ dataDir, baseUrl }: { dataDir: string; baseUrl: string }): Promise<LoginStandIn> {
  const folder = join(dataDir, 'login');
  const keyFile = join(folder, 'key.json');
  const key = await openLoginKey(keyFile);
  const users = openUsers(join(folder, 'users.json'));
  const issuer = `${baseUrl}${LOGIN_PATH}`;
  const facts: LoginFacts = { issuer, clientId: CLIENT_ID, audience: `${baseUrl}/dashboard/v1`, keyFile };
  const published = { keys: [publicHalf(key)] };
  const keys = createLocalJWKSet(published);

  let starting: Promise<{ provider: Provider; close(): void }> | undefined;
  const provider = () => {
    starting ??= import('./provider.ts').then(({ startProvider }) =>
      startProvider({ folder, baseUrl, facts, key, users }),
    );
    return starting;
  };

  /** Who has this access token. (oidc-provider's own endpoint takes none that is meant for an API; Cognito's does.) */
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
        const known = await userInfo(request.headers.authorization);
        return answer(response, known ? 200 : 401, known ?? { error: 'invalid_token' });
      }
      const { provider: oidc } = await provider();
      // It sees paths below its own, and learns from the original one where that is.
      Object.assign(request, { originalUrl: request.url, url: target });
      if (path.startsWith('/interaction/')) return await interact(oidc, users, request, response);
      await oidc.callback()(request, response);
    },
    subjectOf: async (user) => (await users.ensure(user)).subject,
    tokenFor: (subject) => signAccessToken(key, { ...facts, subject }, DAY),
    stop: async () => (await starting)?.close(),
  };
}
