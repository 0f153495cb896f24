import type { Credentials } from '../config.ts';
import { assumeRole } from './assume-role.ts';

/**
 * The duration of a session in seconds: the maximum of AWS for role chaining
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles.html#iam-term-role-chaining).
 */
const SESSION_SECONDS = 3600;
/** The time in milliseconds before the end of a session at which it is renewed. It is longer than any call with the session. */
const RENEWAL_MS = 5 * 60_000;

/** Credentials with their expiration, as the SDK's clients expect them. */
export type SessionCredentials = Credentials & { expiration: Date };

/**
 * Returns a function that returns the credentials of a role. It reuses a session until shortly before its end. Concurrent callers
 * share one request, and a failed request is not cached.
 */
export function roleSession(
  role: Omit<Parameters<typeof assumeRole>[0], 'seconds'>,
  { assume = assumeRole, now = Date.now }: { assume?: typeof assumeRole; now?: () => number } = {},
): () => Promise<SessionCredentials> {
  let current: { credentials: Promise<SessionCredentials>; renewAt: number } | undefined;
  return () => {
    if (current && now() < current.renewAt) return current.credentials;
    const expiration = new Date(now() + SESSION_SECONDS * 1000);
    const credentials = assume({ ...role, seconds: SESSION_SECONDS }).then((assumed) => ({ ...assumed, expiration }));
    const session = { credentials, renewAt: expiration.getTime() - RENEWAL_MS };
    current = session;
    credentials.catch(() => {
      if (current === session) current = undefined;
    });
    return credentials;
  };
}
