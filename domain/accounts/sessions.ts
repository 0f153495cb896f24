import { createHash } from 'node:crypto';
import { ACCESS_TOKEN_S, type deleteSession as DeleteRoute } from '../../contract/accounts/session.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Output } from '../../contract/route.ts';
import { Login } from '../../table/entities/accounts.ts';
import { epoch } from '../../table/entity.ts';
import { type Condition, unchanged } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps, Session } from '../deps.ts';

/**
 * Sign-out. The issuer revokes the refresh token only, so the login's item lists each ended session until all of its access
 * tokens have expired. Every request writes that item anyway, on the condition that its session is not listed. The check
 * therefore costs no round trip.
 */

/** Maximum number of ended sessions that a login lists; each adds to the size of an item that every request writes. */
export const MAX_ENDED_SESSIONS = 20;
/** Time in seconds for which a session stays listed after its last possible access token has expired. */
const MARGIN_S = 300;

/** Returns the key of a session: a hash of the issuer's session id, short enough for an attribute name. */
export const sessionKey = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32);

/** Returns the condition on a login that this session has not ended. */
export const sessionOpen = ({ key }: Pick<Session, 'key'>): Record<string, Condition> => ({
  [`endedSessions.${key}`]: 'absent',
});

/** Creates the error of a request with an access token of a session that has ended: 401. */
export const sessionEnded = () => new ApiError('unauthorized', 'This session has ended. Sign in again.');

/** Returns the ended sessions to list after one more ends, without expired ones, and at most {@link MAX_ENDED_SESSIONS}. */
function endedWith(
  listed: Record<string, number>,
  { key, expiresAtEpoch }: Session,
  now: Date,
): Record<string, number> {
  const nowEpoch = epoch(now);
  // The session may have been renewed since, with a token that expires later than the caller's.
  const listedUntil = Math.max(expiresAtEpoch, nowEpoch + ACCESS_TOKEN_S) + MARGIN_S;
  const unexpired = Object.entries({ ...listed, [key]: listedUntil }).filter(([, until]) => until > nowEpoch);
  // Beyond the maximum, drops the sessions that expire first.
  return Object.fromEntries(unexpired.sort(([, a], [, b]) => b - a).slice(0, MAX_ENDED_SESSIONS));
}

/**
 * DELETE /dashboard/v1/session. Afterwards, requests with any access token of the caller's session get 401. Other sessions of the
 * same person are not affected.
 */
export async function deleteSession(deps: Deps, { session }: Caller): Promise<Output<typeof DeleteRoute>> {
  if (!session) throw new ApiError('unauthorized');
  const { subject, key } = session;
  const end = async (): Promise<Output<typeof DeleteRoute>> => {
    const { endedSessions = {}, endedSessionsVersion: version } = (await deps.table.get(Login, { subject })) ?? {};
    const set = {
      endedSessions: endedWith(endedSessions, session, deps.now()),
      endedSessionsVersion: (version ?? 0) + 1,
    };
    const when = { endedSessionsVersion: unchanged(version) };
    const write = change(Login, { subject }, { set, when }, concurrentUpdate);
    return await deps.commit([write], { data: { id: key, deleted: true } });
  };
  return await retryRequest(end);
}
