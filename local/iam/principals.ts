import type { Session, SessionCredentials, Sessions } from '../emulators/sts/sessions.ts';
import type { Access, Denial } from './authorizer.ts';
import type { Guard } from './guard.ts';

/** A role in use: by a function, or by a service that acts for the platform (Step Functions, Scheduler, pollers). */
export interface Principal {
  credentials: SessionCredentials;
  /** Returns the first right that the principal lacks; undefined if it has all. For services that act without a signed request. */
  refuse(accesses: readonly Access[]): Denial | undefined;
}

/**
 * Returns the principal of a role.
 * @param name name of the session, which appears in AWS's messages
 * @param sourceFunctionArn the function that signs requests with the session
 */
export type PrincipalOf = (role: string, name: string, sourceFunctionArn?: string) => Principal;

/** Credentials do not expire during a run. On AWS, services replace them in time. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Returns true for the session of a principal, which STS did not issue. */
export const isPrincipalSession = ({ expiresAt }: Session): boolean => expiresAt === NEVER;

/** Creates the principals of a run. Without a guard, they may do everything. */
export const openPrincipals =
  (sessions: Sessions, guard: Pick<Guard, 'refuse'> | undefined): PrincipalOf =>
  (role, name, sourceFunctionArn) => {
    const session: Session = { role, name, expiresAt: NEVER, ...(sourceFunctionArn ? { sourceFunctionArn } : {}) };
    return { credentials: sessions.issue(session), refuse: (accesses) => guard?.refuse(session, accesses) };
  };

/**
 * Returns the environment variables with which a function signs as a session of its role, as Lambda sets them.
 * @param functionArn ARN of the function or of one of its versions. Conditions compare the function's ARN
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
