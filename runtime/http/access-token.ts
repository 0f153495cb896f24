import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/**
 * Verification of access tokens. This module imports nothing of the platform and is itself imported with the first login: a
 * function that is called with keys never loads it.
 */

export interface TrustedIssuer {
  /** Issuer of the tokens; its keys are at `<issuer>/.well-known/jwks.json`. */
  issuer: string;
  /** The one client that tokens must have been issued to: the dashboard. */
  clientId: string;
  /** The audience of tokens that name one. */
  audience: string;
}

/** The claims of a valid access token. */
export interface VerifiedToken {
  /** The issuer's id of the person who is logged in. */
  subject: string;
  /** The issuer's id of the session: the same in all access tokens of one sign-in, renewals included. */
  sessionId: string;
  /** Unix time at which the token expires. */
  expiresAtEpoch: number;
  /** Unix time of the sign-in. */
  signedInAtEpoch: number | undefined;
  /** Groups of the user pool that the person is in. */
  groups: readonly string[];
}

/** Time limit of a request for the issuer's keys, in milliseconds. */
const TIMEOUT_MS = TIMEOUTS_S.login.keys * 1000;
/** Time between two requests for the keys because of an unknown key id: forgers choose ids as they like. */
const COOLDOWN_MS = 30_000;
const CACHE_MAX_AGE_MS = 600_000;

/** Returns true if the keys could not be read, which does not make the token invalid. */
const isOutage = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === errors.JOSEError.code;

/**
 * Creates a verifier: it resolves with the claims of a valid access token of the dashboard that has not expired, and with
 * undefined for any other text. It rejects if the issuer's keys cannot be read.
 */
export function createTokenVerifier({ issuer, clientId, audience }: TrustedIssuer) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: CACHE_MAX_AGE_MS,
  });
  const expected = { issuer, algorithms: ['RS256'], requiredClaims: ['sub', 'exp', 'jti', 'client_id', 'token_use'] };
  return async (token: string, now: Date): Promise<VerifiedToken | undefined> => {
    try {
      const { payload } = await jwtVerify(token, keys, { ...expected, currentDate: now });
      const isOurs =
        payload.client_id === clientId &&
        payload.token_use === 'access' &&
        (payload.aud === undefined || [payload.aud].flat().includes(audience));
      const { sub, exp, origin_jti: origin, jti, auth_time: signedIn, 'cognito:groups': groups } = payload;
      if (!isOurs || sub === undefined || exp === undefined) return undefined;
      // Cognito's `origin_jti` names the sign-in. A token without it is a session of its own.
      const sessionId = typeof origin === 'string' ? origin : String(jti);
      return {
        subject: sub,
        sessionId,
        expiresAtEpoch: exp,
        signedInAtEpoch: typeof signedIn === 'number' ? signedIn : undefined,
        groups: Array.isArray(groups) ? groups.map(String) : [],
      };
    } catch (error) {
      if (isOutage(error)) throw error;
      return undefined;
    }
  };
}
