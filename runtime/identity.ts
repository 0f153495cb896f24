import { ApiError } from '../contract/errors.ts';
import type { Access } from '../contract/route.ts';
import type { Caller } from '../domain/deps.ts';
import type { Event } from './answer.ts';
import { authenticate, claimOf, countVisitor, type Hearing, keyTextOf } from './authentication.ts';
import { deps } from './deps.ts';
import { authenticateLogin } from './login.ts';

/** Whether a path is for people who are logged in; all others are for keys. */
const isDashboard = (path: string) => path.startsWith('/dashboard/');

/** Who calls, and are they within their limit? Throws 401, 403, 429, or 503 where logins cannot be checked. */
export async function identify(event: Event, access: Access, hear: Hearing): Promise<Caller> {
  const claim = claimOf(event);
  if (isDashboard(event.rawPath)) return await authenticateLogin(claim, hear);
  const key = keyTextOf(claim.headers);
  if (key) hear.principal?.(key.text);
  return await authenticate(deps.table, claim, access, deps.now(), hear.note, hear.foresee);
}

/** Counts a call that leads nowhere: by whoever is recognized, else by address. Throws 429 and nothing else. */
export async function countLost(event: Event, note: Hearing['note']): Promise<void> {
  if (!keyTextOf(event.headers)) return await countVisitor(deps.table, claimOf(event).sourceIp, deps.now(), note);
  await identify(event, 'none', { note }).catch((error) => {
    // A wrong key changes nothing here: there is still nothing.
    if (!(error instanceof ApiError) || error.code === 'rate_limited') throw error;
  });
}
