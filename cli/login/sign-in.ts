import { createHash, randomBytes } from 'node:crypto';
import { ConnectionError } from '../../client/index.ts';
import { CommandError } from '../command.ts';
import { openCallback } from './callback.ts';

const SCOPE = 'openid email profile';
/** The time limit for the sign-in in milliseconds. */
const TIMEOUT_MS = 10 * 60_000;
const REQUEST_TIMEOUT_MS = 15_000;

async function request(url: string, init: RequestInit, failure: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }).catch((cause) => {
    throw new ConnectionError(`${failure}: ${new URL(url).origin} could not be reached.`, { cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  const { error } = (body ?? {}) as { error?: { message?: string } | string };
  const reason = typeof error === 'object' ? error.message : error;
  throw new CommandError(`${failure}: ${reason ?? `${new URL(url).origin} answered ${response.status}.`}`);
}

const text = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value;
  throw new CommandError(`This installation's login has no ${name}.`);
};

/**
 * Signs in through the browser like the dashboard: authorization code with PKCE, with a redirect to a port of this machine
 * (RFC 8252). @param open opens the URL of the sign-in @returns an access token
 */
export async function signIn(api: string, open: (url: string) => Promise<void>, signal: AbortSignal): Promise<string> {
  const settings = await request(`${api}/dashboard/settings.json`, {}, 'The address of the login could not be read');
  const [issuer, clientId] = [text(settings.issuer, 'issuer'), text(settings.clientId, 'client')];
  const discovery = await request(`${issuer}/.well-known/openid-configuration`, {}, 'The login could not be read');
  const [state, verifier] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')];
  const callback = await openCallback();
  try {
    const address = new URL(text(discovery.authorization_endpoint, 'page'));
    const query = {
      client_id: clientId,
      response_type: 'code',
      scope: SCOPE,
      redirect_uri: callback.url,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const waiting = callback.code(state, AbortSignal.any([signal, limit]));
    const [code] = await Promise.all([waiting, open(address.href)]).catch((error: unknown) => {
      if (limit.aborted) throw new CommandError('The sign-in was not completed within ten minutes.');
      throw error;
    });
    const grant = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: callback.url };
    const body = new URLSearchParams({ ...grant, code_verifier: verifier });
    const tokens = await request(
      text(discovery.token_endpoint, 'token endpoint'),
      { method: 'POST', body },
      'The sign-in failed',
    );
    return text(tokens.access_token, 'access token');
  } finally {
    callback.close();
  }
}

/** An account that a login is a member of. */
export interface MemberAccount {
  id: string;
  name: string;
  role: string;
}

/** Returns the accounts of which a login is a member, its own first. */
export async function listAccounts(api: string, accessToken: string): Promise<readonly MemberAccount[]> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const { data } = await request(`${api}/dashboard/v1/me`, { headers }, 'Your accounts could not be read');
  return (data as { accounts?: readonly MemberAccount[] } | undefined)?.accounts ?? [];
}

/** Creates a secret key for an account with a login. The dashboard lists it under its name, and can revoke it. */
export async function createKey(
  api: string,
  accessToken: string,
  accountId: string,
  body: { name: string; scopes: readonly string[] },
): Promise<string> {
  const headers = { authorization: `Bearer ${accessToken}`, 'x-account-id': accountId };
  const init = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const { data } = await request(`${api}/dashboard/v1/keys`, init, 'The key could not be created');
  return text((data as { secretKey?: unknown } | undefined)?.secretKey, 'key in its response');
}
