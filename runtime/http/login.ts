import { temporaryFailure } from '../../contract/errors.ts';
import { DASHBOARD_PATH } from '../../contract/route.ts';
import { openLogin } from '../../domain/accounts/logins.ts';
import { sessionEnded } from '../../domain/accounts/sessions.ts';
import { type Profile, readProfile, TokenRefused } from '../../providers/login/profiles.ts';
import { config, required } from '../config.ts';
import { deps } from '../deps.ts';
import { log } from '../observability/log.ts';
import type { VerifiedToken } from './access-token.ts';

const issuer = required('LOGIN_ISSUER');
const trusted = {
  issuer,
  clientId: required('LOGIN_CLIENT_ID'),
  audience: `${config.PUBLIC_URL ?? ''}${DASHBOARD_PATH}`,
};

const unavailable = (resource: string) => (error: unknown) => {
  log.error(`${resource} of the login issuer cannot be read`, error);
  throw temporaryFailure('Logins cannot be checked right now.', { status: 503 });
};

let verifier: Promise<(token: string, now: Date) => Promise<VerifiedToken | undefined>> | undefined;

/** Returns the claims of a valid access token; undefined for any other text. Throws 503 if the issuer's keys cannot be read. */
export async function verifyLogin(token: string): Promise<VerifiedToken | undefined> {
  verifier ??= import('./access-token.ts').then(({ createTokenVerifier }) => createTokenVerifier(trusted));
  return await (await verifier)(token, deps.now()).catch(unavailable('the keys'));
}

/** Reads the profile of a token's bearer. Throws 401 if the issuer has ended the session, 503 if it cannot be reached. */
export const profileOf = (token: string): Promise<Profile> =>
  readProfile(issuer, token).catch((error: unknown) => {
    if (error instanceof TokenRefused) throw sessionEnded();
    return unavailable('a profile')(error);
  });

/** Opens the account of a new login, with the name and email address from the issuer. Throws 401 and 503 as {@link profileOf}. */
export async function openLoginAccount(subject: string, token: string): Promise<void> {
  await openLogin(deps, subject, await profileOf(token));
}
