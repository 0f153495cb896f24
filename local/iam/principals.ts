import type { Session, SessionCredentials, Sessions } from '../emulators/sts/sessions.ts';
import type { Access, Denial } from './authorizer.ts';
import type { Guard } from './guard.ts';

/** A role in use: by a function, or by a service that acts for the platform (Step Functions, Scheduler, pollers). */
export interface Principal {
  credentials: SessionCredentials;
  /** Returns the right that it lacks, for a service that calls another one without a request. */
  refuse(accesses: readonly Access[]): Denial | undefined;
}

/**
 * Returns the principal of a role.
 * @param name name of the session, as AWS's messages show it
 * @param sourceFunctionArn the function whose code signs with it
 */
export type PrincipalOf = (role: string, name: string, sourceFunctionArn?: string) => Principal;

/** Credentials are valid as long as the run; on AWS, services replace them in time. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Returns true for the session of a principal, which STS did not issue. */
export const isOwn = ({ expiresAt }: Session): boolean => expiresAt === NEVER;

/** Opens the principals of a run. Without a guard they may do everything. */
export const openPrincipals =
  (sessions: Sessions, guard: Pick<Guard, 'refuse'> | undefined): PrincipalOf =>
  (role, name, sourceFunctionArn) => {
    const session: Session = { role, name, expiresAt: NEVER, ...(sourceFunctionArn ? { sourceFunctionArn } : {}) };
    return { credentials: sessions.issue(session), refuse: (accesses) => guard?.refuse(session, accesses) };
  };

/**
 * Returns the environment variables with which a function signs as a session of its role, as Lambda sets them.
 * @param functionArn of the function or one of its versions; conditions compare the function's own
 */
export function functionCredentials(
  principalOf: PrincipalOf,
  role: string,
  functionArn: string,
): Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN', string> {
  const parts = functionArn.split(':').slice(0, 7);
  const { credentials } = principalOf(role, parts.at(-1) ?? '', parts.join(':'));
  return {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
  };
}
