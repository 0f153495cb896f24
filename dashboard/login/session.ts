import type { UserManager } from 'oidc-client-ts';
import { deleteSession, OPERATOR_GROUP } from '../../contract/accounts/session.ts';
import { createClient } from '../../contract/client.ts';
import { clearDrafts } from '../drafts.ts';
import { isReachable } from '../load-page.ts';
import type { Settings } from '../settings.ts';
import { chooseAccount } from './account-choice.ts';
import { claimsOf, readStoredSession, type StoredSession } from './stored-session.ts';

/**
 * `signedOutElsewhere`: signed out in another tab. `signedOutHere`: signed out in this browser, but not at the login provider, which could not
 * be reached. `expired`: the session can no longer be renewed. `leaving`: another login has signed in, and a new page for it is loading.
 */
export type SessionState =
  | 'starting'
  | 'signedOut'
  | 'signedIn'
  | 'signedOutElsewhere'
  | 'signedOutHere'
  | 'expired'
  | 'leaving';

/** Loads the OIDC client (17 kB) only when it is needed: to sign in, to renew and to sign out. */
const loadOidcClient = () => import('oidc-client-ts');

/** Remaining lifetime below which a token is renewed. */
const RENEW_BEFORE_S = 60;
/** Maximum time that sign-out waits for the login provider and the API. The requests continue afterwards. */
const SIGN_OUT_TIMEOUT_MS = 5000;
const RENEWAL_LOCK = 'dashboard-session-renewal';

interface SignInState {
  /** Path within the dashboard to open after signing in. */
  returnTo: string;
  /** True in the popup, which closes after signing in. */
  isPopup: boolean;
}

const isSignInState = (value: unknown): value is SignInState =>
  typeof value === 'object' && value !== null && 'returnTo' in value && 'isPopup' in value;

/** sessionStorage key of the login that last used the tab. */
const TAB_LOGIN = 'login';

/** Clears what the tab stores for a login: drafts and the chosen account. */
function forgetLogin(): void {
  clearDrafts();
  chooseAccount(undefined);
}

/** Assigns the tab to a login. Clears what another login has left in it. */
function assignTab(login: string): void {
  if ((sessionStorage.getItem(TAB_LOGIN) ?? login) !== login) forgetLogin();
  sessionStorage.setItem(TAB_LOGIN, login);
}

/**
 * The session of this browser: authorization code with PKCE, renewed silently with the refresh token. It is stored in
 * localStorage, so that all tabs share it; storage events report sign-ins and sign-outs of other tabs. A page belongs to one login.
 * If another login signs in, a new page replaces it, so that the new login neither sees the data of this one nor sends its pending calls.
 */
export class Session {
  state: SessionState = 'starting';
  email = '';
  readonly #listeners = new Set<() => void>();
  readonly #settings: Settings;
  /** Base URL of the dashboard. */
  readonly #base: string;
  #managerPromise: Promise<UserManager> | undefined;
  #stored: StoredSession | undefined;
  /** The login that the page belongs to. */
  #login: string | undefined;
  /** Token that the API rejected, regardless of its expiry. */
  #rejectedToken = '';

  constructor(settings: Settings, base: string) {
    this.#settings = settings;
    this.#base = base;
    window.addEventListener('storage', ({ key }) => {
      if (key === null || key.startsWith('oidc.user:')) this.load();
    });
  }

  /** Loads the stored session: at the start, and when another tab changes it. */
  load(): void {
    const user = this.#readStored();
    // A redirect to the login page would sign in again while the other tab is still signing out.
    const signedOutElsewhere = !user && this.state === 'signedIn';
    if (signedOutElsewhere) forgetLogin();
    this.#update(user, signedOutElsewhere ? 'signedOutElsewhere' : undefined);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Returns a valid access token. If the session cannot be renewed, waits until the user has signed in again, so that
   * pending calls continue afterwards.
   */
  async token(): Promise<string> {
    for (;;) {
      const user = this.#stored;
      if (user && this.#isUsable(user)) return user.access_token;
      if (this.state === 'signedIn') await this.#renew();
      else await this.#nextChange();
    }
  }

  /** True if the login has the role operator. It decides what is shown; the API decides what is allowed. */
  get isOperator(): boolean {
    return claimsOf(this.#stored?.access_token).groups.includes(OPERATOR_GROUP);
  }

  /** Marks a token as rejected after the API responded with 401. */
  markRejected(token: string): void {
    this.#rejectedToken = token;
  }

  /** Redirects to the login page. It replaces this page, so that Back skips it. */
  async signIn({ returnTo = '/', isPopup = false }: Partial<SignInState>): Promise<void> {
    await (await this.#manager()).signinRedirect({ state: { returnTo, isPopup }, redirectMethod: 'replace' });
  }

  /** Completes the redirect back from the login page. */
  async completeSignIn(): Promise<SignInState> {
    const user = await (await this.#manager()).signinRedirectCallback();
    // The page has not read anything with an earlier session, so it may take the new login.
    this.#login = undefined;
    this.#update(user);
    return isSignInState(user.state) ? user.state : { returnTo: '/', isPopup: false };
  }

  /**
   * Signs out in all tabs, at the login provider, which then refuses to renew the session, and at the API, which then rejects its
   * access tokens. If the provider cannot be reached, signs out of this browser only.
   */
  async signOut(): Promise<void> {
    forgetLogin();
    try {
      await this.#signOutAtProvider();
    } catch {
      // Still stored if the OIDC client could not be loaded.
      const token = this.#readStored()?.access_token;
      localStorage.removeItem(this.#storageKey);
      this.#update(undefined, 'signedOutHere');
      await this.#endAccess(token).catch(() => undefined);
    }
  }

  /** Removes and revokes the session, and redirects to the login provider's sign-out. */
  async #signOutAtProvider(): Promise<void> {
    const manager = await this.#manager();
    // The lock keeps other tabs from renewing, which would replace the refresh token that is revoked here.
    const hint = await navigator.locks.request(RENEWAL_LOCK, async () => {
      const user = await manager.getUser();
      await manager.removeUser();
      // The user is signed out of this browser even if the provider or the API does not answer.
      const ending = [this.#revoke(manager, user?.refresh_token), this.#endAccess(user?.access_token)];
      await Promise.race([Promise.allSettled(ending), new Promise((done) => setTimeout(done, SIGN_OUT_TIMEOUT_MS))]);
      return user?.id_token;
    });
    // Cognito has its own name for the return URL.
    const extraQueryParams = { client_id: this.#settings.clientId, logout_uri: this.#base };
    await manager.signoutRedirect({ extraQueryParams, ...(hint ? { id_token_hint: hint } : {}) });
  }

  /** Revokes a refresh token (RFC 7009), without the OIDC client: it expects a response body, and there is none. */
  async #revoke(manager: UserManager, token: string | undefined): Promise<void> {
    const endpoint = await manager.metadataService.getRevocationEndpoint();
    if (!endpoint || !token) return;
    const body = new URLSearchParams({ client_id: this.#settings.clientId, token, token_type_hint: 'refresh_token' });
    // keepalive: the page is about to be unloaded.
    await fetch(endpoint, { method: 'POST', body, keepalive: true });
  }

  /** Ends the session at the API: Cognito does not revoke access tokens, and the API verifies them without asking Cognito. */
  async #endAccess(token: string | undefined): Promise<void> {
    if (!token) return;
    const send = (url: string, init: RequestInit) => fetch(url, { ...init, keepalive: true });
    await createClient({ baseUrl: this.#settings.apiUrl, accessToken: () => token, fetch: send }).call(deleteSession);
  }

  async #manager(): Promise<UserManager> {
    this.#managerPromise ??= this.#createManager();
    // Allow another attempt if loading the client failed.
    this.#managerPromise.catch(() => {
      this.#managerPromise = undefined;
    });
    return await this.#managerPromise;
  }

  async #createManager(): Promise<UserManager> {
    const { UserManager, WebStorageStateStore } = await loadOidcClient();
    return new UserManager({
      authority: this.#settings.issuer,
      client_id: this.#settings.clientId,
      redirect_uri: `${this.#base}callback`,
      post_logout_redirect_uri: this.#base,
      response_type: 'code',
      scope: 'openid email',
      userStore: new WebStorageStateStore({ store: localStorage }),
      automaticSilentRenew: false,
      monitorSession: false,
    });
  }

  /** Name under which the OIDC client stores the session in localStorage. */
  get #storageKey(): string {
    return `oidc.user:${this.#settings.issuer}:${this.#settings.clientId}`;
  }

  #readStored(): StoredSession | undefined {
    return readStoredSession(this.#storageKey);
  }

  #isUsable(user: StoredSession): boolean {
    return user.access_token !== this.#rejectedToken && (user.expires_at ?? 0) - Date.now() / 1000 > RENEW_BEFORE_S;
  }

  /** Renews the token in one tab at a time: a refresh token is valid once, and the other tabs use the result. */
  async #renew(): Promise<void> {
    await navigator.locks.request(RENEWAL_LOCK, async () => {
      const stored = this.#readStored();
      if (!stored || this.#isUsable(stored)) return this.#update(stored);
      if (!stored.refresh_token) return this.#update(stored, 'expired');
      const client = await loadOidcClient().catch(async (error: unknown) => {
        // Browsers do not load a module again that they failed to load, and a new release may have replaced it. The popup loads its own.
        if (!(await isReachable())) throw error;
      });
      if (!client) return this.#update(stored, 'expired');
      const manager = await this.#manager();
      try {
        this.#update((await manager.signinSilent()) ?? undefined);
      } catch (error) {
        // Other errors are temporary network failures.
        if (!(error instanceof client.ErrorResponse)) throw error;
        this.#update(stored, 'expired');
      }
    });
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        stop();
        resolve();
      });
    });
  }

  #update(user: StoredSession | undefined, state: SessionState = user ? 'signedIn' : 'signedOut'): void {
    if (user) {
      const { login } = claimsOf(user.access_token);
      assignTab(login);
      this.#login ??= login;
      if (login !== this.#login) {
        // An invitation belongs to no login: the new login can accept it after a reload.
        if (location.href.startsWith(`${this.#base}invitation`)) location.reload();
        else location.replace(this.#base);
        // Shows and sends nothing until the new page is loaded.
        this.#update(undefined, 'leaving');
        return;
      }
    }
    this.#stored = user;
    this.state = state;
    this.email = user?.profile?.email ?? this.email;
    for (const listener of [...this.#listeners]) listener();
  }
}
