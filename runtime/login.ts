import { ApiError } from '../contract/errors.ts';
import { DASHBOARD_PATH } from '../contract/route.ts';
import type { Caller } from '../domain/deps.ts';
import { openLogin } from '../domain/accounts/logins.ts';
import { readProfile } from '../providers/login/profiles.ts';
import { Login } from '../table/login-entities.ts';
import { change } from '../table/writes.ts';
import {
  type Claim,
  callerOf,
  countRequest,
  countVisitor,
  type Hearing,
  LIMITS,
  remember,
  slowDownIfThrottled,
} from './authentication.ts';
import { config, required } from './config.ts';
import { deps } from './deps.ts';
import { log } from './observability/log.ts';

const issuer = required('LOGIN_ISSUER');
const trusted = {
  issuer,
  clientId: required('LOGIN_CLIENT_ID'),
  audience: `${config.PUBLIC_URL ?? ''}${DASHBOARD_PATH}`,
};

let checker: Promise<(token: string, now: Date) => Promise<string | undefined>> | undefined;
/** The subject of a token, if it is one of ours. */
async function subjectOf(token: string, now: Date): Promise<string | undefined> {
  checker ??= import('./http/access-token.ts').then(({ accessTokens }) => accessTokens(trusted));
  return await (await checker)(token, now);
}

const unavailable = (what: string) => (error: unknown) => {
  log.error(what, error);
  throw new ApiError('server_error', 'Logins cannot be checked right now. It is safe to retry with backoff.', {
    status: 503,
  });
};

class NoAccountYet extends Error {}

/**
 * Finds the account of a login and counts the request, in one UpdateItem on the login's item. The first request of a new
 * login opens its account. Throws 401, 429 or, where the issuer does not answer, 503.
 */
export async function authenticateLogin(claim: Claim, { note, principal, foresee }: Hearing): Promise<Caller> {
  const now = deps.now();
  const token = /^Bearer +(\S+)$/i.exec(claim.headers.authorization ?? '')?.[1];
  const subject = token && (await subjectOf(token, now).catch(unavailable('the keys of the issuer of logins')));
  if (!subject) {
    await countVisitor(deps.table, claim.sourceIp, now, note);
    throw new ApiError('unauthorized', 'A valid login is needed: Authorization: Bearer <access token>.');
  }
  const sender = `login ${subject}`;
  principal?.(sender);
  const count = async (): Promise<Caller> => {
    const { item } = await countRequest(sender, LIMITS.login, now, note, async (update) => {
      const counted = change(Login, { subject }, update, () => new NoAccountYet());
      const writing = slowDownIfThrottled(deps.table.write(Login, counted));
      const seen = callerOf.get(sender);
      if (seen) foresee?.(seen);
      const item = await writing;
      if (!item) throw new NoAccountYet();
      return item;
    });
    const caller: Caller = { accountId: item.accountId, keyId: '', login: true };
    if (foresee) remember(callerOf, sender, caller);
    return caller;
  };
  try {
    return await count();
  } catch (error) {
    if (!(error instanceof NoAccountYet)) throw error;
    const profile = await readProfile(issuer, token).catch(unavailable('the profile of a new login'));
    await openLogin(deps, subject, profile);
    return await count();
  }
}
