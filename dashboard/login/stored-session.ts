/** The part of oidc-client-ts's stored user that the dashboard reads. */
export interface StoredSession {
  access_token: string;
  refresh_token?: string;
  /** Unix time in seconds. */
  expires_at?: number;
  profile?: { email?: string };
}

const isStoredSession = (value: unknown): value is StoredSession =>
  typeof value === 'object' && value !== null && 'access_token' in value && typeof value.access_token === 'string';

/** Returns the session stored in localStorage; undefined if there is none or it is unreadable. */
export function readStoredSession(key: string): StoredSession | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isStoredSession(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the login and the groups of an access token, without verifying it. */
export function claimsOf(token = ''): { login: string; groups: unknown[] } {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { sub, 'cognito:groups': groups } = JSON.parse(atob(payload));
    return { login: String(sub), groups: Array.isArray(groups) ? groups : [] };
  } catch {
    return { login: '', groups: [] };
  }
}
