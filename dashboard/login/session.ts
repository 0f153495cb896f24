import type { UserManager } from 'oidc-client-ts';
import { forgetDrafts } from '../form/draft.ts';
import type { Settings } from '../settings.ts';

/** `left`: signed out in another tab. `ended`: was signed in, and the login can no longer be renewed. */
export type SessionState = 'starting' | 'signedOut' | 'signedIn' | 'left' | 'ended';

/** 17 kB that nobody needs who is signed in: fetched to sign in, to renew and to sign out. */
const oidc = () => import('oidc-client-ts');

/** What oidc-client-ts keeps of a login in the browser's store, as far as it is read here. */
interface Kept {
  access_token: string;
  refresh_token?: string;
  /** Unix time in seconds. */
  expires_at?: number;
  profile?: { email?: string };
}

/** A token is renewed when it is good for less than this, in seconds. */
const RENEW_BEFORE = 60;
const RENEWAL_LOCK = 'dashboard-session-renewal';

interface Journey {
  /** Where to go on after signing in, within the dashboard. */
  returnTo: string;
  /** Signed in again from a window of its own, which closes when it is done. */
  closes: boolean;
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && 'access_token' in value && typeof value.access_token === 'string';

const isJourney = (value: unknown): value is Journey =>
  typeof value === 'object' && value !== null && 'returnTo' in value && 'closes' in value;

/**
 * The login of this browser: authorization code with PKCE, renewed silently by its refresh token. Kept in localStorage,
 * so that every tab has the same one; a tab learns of the others' sign-in and sign-out by storage events.
 */
export class Session {
  state: SessionState = 'starting';
  email = '';
  readonly #listeners = new Set<() => void>();
  readonly #settings: Settings;
  /** The dashboard's own address. */
  readonly #base: string;
  #made: Promise<UserManager> | undefined;
  #user: Kept | undefined;
  /** A token that the API refused: no longer good, whatever its expiry says. */
  #refused = '';

  constructor(settings: Settings, base: string) {
    this.#settings = settings;
    this.#base = base;
    window.addEventListener('storage', ({ key }) => {
      if (key === null || key.startsWith('oidc.user:')) this.start();
    });
  }

  /** Reads the login from the browser's store: at the start, and when another tab has changed it. */
  start(): void {
    const user = this.#stored();
    // Going to the login page by itself would sign in again while the other tab is not out yet.
    const left = !user && this.state === 'signedIn';
    if (left) forgetDrafts();
    this.#become(user, left ? 'left' : undefined);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * A token that is good for the next call. Where the login can no longer be renewed, this waits until the person has
   * signed in again: what was asked for then goes on as if nothing had been.
   */
  async token(): Promise<string> {
    for (;;) {
      const user = this.#user;
      if (user && this.#isGood(user)) return user.access_token;
      if (this.state === 'signedIn') await this.#renew();
      else await this.#change();
    }
  }

  /** The API has answered 401 to this token. */
  refuse(token: string): void {
    this.#refused = token;
  }

  /** Leaves for the login page. */
  async signIn({ returnTo = '/', closes = false }: Partial<Journey>): Promise<void> {
    await (await this.#manager()).signinRedirect({ state: { returnTo, closes } });
  }

  /** Comes back from the login page. */
  async complete(): Promise<Journey> {
    const user = await (await this.#manager()).signinRedirectCallback();
    this.#become(user);
    return isJourney(user.state) ? user.state : { returnTo: '/', closes: false };
  }

  /** Ends the login here, in the other tabs and at the login page. */
  async signOut(): Promise<void> {
    forgetDrafts();
    // Cognito takes the address to come back to under a name of its own.
    const extraQueryParams = { client_id: this.#settings.clientId, logout_uri: this.#base };
    await (await this.#manager()).signoutRedirect({ extraQueryParams });
  }

  async #manager(): Promise<UserManager> {
    this.#made ??= this.#make();
    // A file that could not be fetched may be there the next time.
    this.#made.catch(() => {
      this.#made = undefined;
    });
    return await this.#made;
  }

  async #make(): Promise<UserManager> {
    const { UserManager, WebStorageStateStore } = await oidc();
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

  /** The login in the browser's store; undefined where there is none, or none that can be read. */
  #stored(): Kept | undefined {
    const { issuer, clientId } = this.#settings;
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(`oidc.user:${issuer}:${clientId}`) ?? 'null');
      return isKept(kept) ? kept : undefined;
    } catch {
      return undefined;
    }
  }

  #isGood(user: Kept): boolean {
    return user.access_token !== this.#refused && (user.expires_at ?? 0) - Date.now() / 1000 > RENEW_BEFORE;
  }

  /** One tab renews at a time: a refresh token is good once, and the others take what it brought. */
  async #renew(): Promise<void> {
    await navigator.locks.request(RENEWAL_LOCK, async () => {
      const stored = this.#stored();
      if (!stored || this.#isGood(stored)) return this.#become(stored);
      if (!stored.refresh_token) return this.#become(stored, 'ended');
      const { ErrorResponse } = await oidc();
      const manager = await this.#manager();
      try {
        this.#become((await manager.signinSilent()) ?? undefined);
      } catch (error) {
        // Anything else is a network that will be there again.
        if (!(error instanceof ErrorResponse)) throw error;
        this.#become(stored, 'ended');
      }
    });
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        stop();
        resolve();
      });
    });
  }

  #become(user: Kept | undefined, state: SessionState = user ? 'signedIn' : 'signedOut'): void {
    this.#user = user;
    this.state = state;
    this.email = user?.profile?.email ?? this.email;
    for (const listener of [...this.#listeners]) listener();
  }
}
