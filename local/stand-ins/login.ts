import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { openLoginKey, publicHalf, signAccessToken } from './login-key.ts';
import { type NewUser, openUsers } from './login-users.ts';

/** Where the pages and endpoints of the login are, below the one public address. */
export const LOGIN_PATH = '/oidc';
const CLIENT_ID = 'dashboard';
/** How long the tokens in `local.json` are valid, in seconds: a day's work. */
const DAY = 86_400;

/** What a process needs to make tokens for logins of its own: tests do. */
export interface LoginFacts {
  issuer: string;
  clientId: string;
  audience: string;
  keyFile: string;
}

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
}

const NOTHING = { status: 404, body: { error: 'not_found' } };

/** The issuer of logins, in Cognito's place: the same protocol (OpenID Connect) and the same claims. */
export async function startLogin({ dataDir, baseUrl }: { dataDir: string; baseUrl: string }): Promise<LoginStandIn> {
  const keyFile = join(dataDir, 'login', 'key.json');
  const key = await openLoginKey(keyFile);
  const users = openUsers(join(dataDir, 'login', 'users.json'));
  const issuer = `${baseUrl}${LOGIN_PATH}`;
  const facts: LoginFacts = { issuer, clientId: CLIENT_ID, audience: `${baseUrl}/dashboard/v1`, keyFile };
  const published = { keys: [publicHalf(key)] };
  const keys = createLocalJWKSet(published);

  const userInfo = async (authorization = '') => {
    const token = authorization.replace(/^Bearer +/i, '');
    const subject = await jwtVerify(token, keys, { issuer }).then(
      ({ payload }) => payload.sub,
      () => undefined,
    );
    const user = users.bySubject(subject ?? '');
    if (!user) return { status: 401, body: { error: 'invalid_token' } };
    return { status: 200, body: { sub: user.subject, email: user.email, email_verified: true, name: user.name } };
  };

  const answers: Record<string, (request: IncomingMessage) => Promise<{ status: number; body: object }>> = {
    '/.well-known/jwks.json': async () => ({ status: 200, body: published }),
    '/.well-known/openid-configuration': async () => ({
      status: 200,
      body: { issuer, userinfo_endpoint: `${issuer}/userinfo` },
    }),
    '/userinfo': ({ headers }) => userInfo(headers.authorization),
  };

  return {
    facts,
    variables: { LOGIN_ISSUER: issuer, LOGIN_CLIENT_ID: CLIENT_ID },
    async handle(request, response) {
      request.resume();
      const path = (request.url ?? '').replace(/\?.*$/, '').slice(LOGIN_PATH.length);
      const { status, body } = (await answers[path]?.(request)) ?? NOTHING;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
    subjectOf: async (user) => (await users.ensure(user)).subject,
    tokenFor: (subject) => signAccessToken(key, { ...facts, subject }, DAY),
  };
}
