import { createHash, randomBytes } from 'node:crypto';
import { local } from './harness.ts';
import type { Local } from './platform.ts';

/** Response of the token endpoint. */
export interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
  expires_in: number;
}

/** A minimal browser for the login pages: keeps cookies and follows redirects within the login. */
export class LoginBrowser {
  readonly #jar = new Map<string, string>();
  readonly of: Local;

  constructor(of: Local = local) {
    this.of = of;
  }

  /** Follows redirects to a page or to the dashboard. */
  async open(url: string, init: RequestInit = {}): Promise<{ url: URL; status: number; html: string }> {
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { cookie: [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/expires=Thu, 01 Jan 1970/i.test(cookie)) this.#jar.delete(name);
      else this.#jar.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) return { url: new URL(url), status: answer.status, html: await answer.text() };
    await answer.body?.cancel();
    const next = new URL(location, url);
    if (next.pathname.startsWith('/dashboard')) return { url: next, status: answer.status, html: '' };
    return await this.open(next.href);
  }

  /** Submits a form. */
  async send(url: URL, fields: Record<string, string>) {
    return await this.open(url.href, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Starts a sign-in. Returns its URL and the verifier for the code. */
  async begin(changes: Record<string, string | undefined> = {}) {
    const verifier = randomBytes(32).toString('base64url');
    const asked = {
      client_id: this.of.login.clientId,
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${this.of.baseUrl}/dashboard/callback`,
      state: 'where-i-was',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    };
    const given = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const page = await this.open(`${this.of.login.issuer}/auth?${new URLSearchParams(given)}`);
    return { page, verifier };
  }

  /** Calls the token endpoint. */
  async token(fields: Record<string, string>): Promise<{ status: number; body: Tokens }> {
    const answer = await fetch(`${this.of.login.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: this.of.login.clientId, ...fields }),
    });
    return { status: answer.status, body: (await answer.json()) as Tokens };
  }

  async redeem(code: string, verifier: string) {
    const redirect = `${this.of.baseUrl}/dashboard/callback`;
    return await this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect,
      code_verifier: verifier,
    });
  }

  /** Signs in or, with a name, signs up. Returns the tokens that the dashboard would get. */
  async signIn(fields: { email: string; password: string; name?: string }): Promise<Tokens> {
    const { page, verifier } = await this.begin();
    const form = new URL(fields.name === undefined ? '' : '?sign-up', page.url);
    const { url } = await this.send(form, fields);
    const { body } = await this.redeem(url.searchParams.get('code') ?? '', verifier);
    return body;
  }
}
