import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { JWK } from 'jose';
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import * as z from 'zod';
import { ACCESS_TOKEN_S, LOOPBACK_CALLBACKS } from '../../../contract/accounts/session.ts';
import { openState } from '../state.ts';
import { groupsClaim } from './key.ts';
import { errorPage, signedOutPage, signOutPage } from './pages.ts';
import { openLoginStore } from './store.ts';
import type { Users } from './users.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const SCOPES = 'openid email profile';

/** The settings that a process needs to issue tokens itself, as tests do. */
export interface LoginFacts {
  issuer: string;
  clientId: string;
  audience: string;
  keyFile: string;
}

export interface ProviderOptions {
  /** Folder of the login's state. */
  folder: string;
  baseUrl: string;
  facts: LoginFacts;
  key: JWK;
  users: Users;
}

/** Returns the dashboard's grant, and creates it without a consent page, because the dashboard belongs to the platform. */
async function grantOf({ oidc }: KoaContextWithOIDC, audience: string) {
  const { provider, session, client } = oidc;
  const { accountId } = session ?? {};
  if (!client || !accountId) return undefined;
  const known = session?.grantIdFor(client.clientId);
  const found = known ? await provider.Grant.find(known) : undefined;
  if (found) return found;
  const grant = new provider.Grant({ clientId: client.clientId, accountId });
  grant.addOIDCScope(SCOPES);
  grant.addResourceScope(audience, SCOPES);
  await grant.save();
  return grant;
}

/**
 * Returns the claims of Cognito's access tokens that oidc-provider does not add. `origin_jti` stays the same when a token is
 * refreshed. It is the id of the grant, which signing out revokes.
 */
function accessClaims(
  { RefreshToken: refreshToken, AuthorizationCode: code }: KoaContextWithOIDC['oidc']['entities'],
  token: object,
  users: Users,
) {
  const { grantId, accountId } = token as { grantId?: string; accountId?: string };
  return {
    token_use: 'access',
    origin_jti: grantId,
    auth_time: (refreshToken ?? code)?.authTime,
    username: accountId,
    ...groupsClaim(users.bySubject(accountId ?? '')?.groups),
  };
}

/**
 * Starts oidc-provider with the settings of Cognito in lib/stacks/login.ts. Loading it is slow, so it starts only with the first
 * sign-in.
 */
export async function startProvider(options: ProviderOptions): Promise<{ provider: Provider; close(): void }> {
  const { folder, baseUrl, facts, key, users } = options;
  const { issuer, clientId, audience } = facts;
  const cookieKeys = openState(join(folder, 'cookies.json'), z.array(z.string()), [randomBytes(32).toString('hex')]);
  cookieKeys.save();
  const store = openLoginStore(join(folder, 'store.db'));
  const configuration: Configuration = {
    adapter: store.adapter,
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [`${baseUrl}/dashboard/callback`, ...LOOPBACK_CALLBACKS],
        post_logout_redirect_uris: [`${baseUrl}/dashboard/`],
      },
    ],
    jwks: { keys: [{ ...key, kty: 'RSA' as const }] } as NonNullable<Configuration['jwks']>,
    cookies: { keys: cookieKeys.value },
    scopes: SCOPES.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Cognito's ID tokens contain the user's claims, so clients need not request them separately.
    conformIdTokenClaims: false,
    discovery: { userinfo_endpoint: `${issuer}/userinfo` },
    routes: { jwks: '/.well-known/jwks.json' },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    expiresWithSession: () => false,
    extraTokenClaims: ({ oidc }, token) => accessClaims(oidc.entities, token, users),
    ttl: {
      AccessToken: ACCESS_TOKEN_S,
      IdToken: HOUR,
      AuthorizationCode: 60,
      Interaction: HOUR,
      Session: 14 * DAY,
      Grant: 30 * DAY,
      RefreshToken: 30 * DAY,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: SCOPES,
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: ACCESS_TOKEN_S,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => {
          context.body = signOutPage(form);
        },
        postLogoutSuccessSource: (context) => {
          context.body = signedOutPage();
        },
      },
    },
    renderError: (context, { error_description: description, error }) => {
      context.type = 'html';
      context.body = errorPage(description ?? error);
    },
    interactions: { url: (_context, { uid }) => `${new URL(issuer).pathname}/interaction/${uid}` },
    findAccount: (_context, subject) => {
      const user = users.bySubject(subject);
      if (!user) return undefined;
      const { email, name } = user;
      return { accountId: subject, claims: () => ({ sub: subject, email, email_verified: true, name }) };
    },
    loadExistingGrant: (context) => grantOf(context, audience),
  };
  const { default: OidcProvider } = await import('oidc-provider');
  return { provider: new OidcProvider(issuer, configuration), close: store.close };
}
