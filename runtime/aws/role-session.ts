import type { Credentials } from '../config.ts';
import { assumeRole } from './assume-role.ts';

/**
 * Seconds of a session. AWS allows an hour to a role that another role assumes
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles.html#iam-term-role-chaining).
 */
const SESSION_SECONDS = 3600;
/** A session is renewed so long before its end, in milliseconds: longer than any call with it takes. */
const RENEWAL_MS = 5 * 60_000;

/** Credentials with the time of their end, as the SDK's clients take them. */
export type SessionCredentials = Credentials & { expiration: Date };

/**
 * Returns a function that gives the credentials of a role, of one session until shortly before its end. Concurrent callers share
 * one request, and a failed one is not kept.
 */
export function roleSession(
  role: Omit<Parameters<typeof assumeRole>[0], 'seconds'>,
  { assume = assumeRole, now = Date.now }: { assume?: typeof assumeRole; now?: () => number } = {},
): () => Promise<SessionCredentials> {
  let current: { credentials: Promise<SessionCredentials>; renewAt: number } | undefined;
  return () => {
    if (current && now() < current.renewAt) return current.credentials;
    const begun = now();
    const expiration = new Date(begun + SESSION_SECONDS * 1000);
    const credentials = assume({ ...role, seconds: SESSION_SECONDS }).then((given) => ({ ...given, expiration }));
    const session = { credentials, renewAt: expiration.getTime() - RENEWAL_MS };
    current = session;
    credentials.catch(() => {
      if (current === session) current = undefined;
    });
    return credentials;
  };
}
