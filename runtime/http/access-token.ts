import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/**
 * Verification of access tokens. This module is imported only when the first login is verified, so that a function that is called
 * with keys never loads it.
 */

export interface TrustedIssuer {
  /** Issuer of the tokens; its keys are at `<issuer>/.well-known/jwks.json`. */
  issuer: string;
  /** The client to which a token must have been issued: the dashboard. */
  clientId: string;
  /** The required audience of a token that names one. */
  audience: string;
}

/** The claims of a valid access token. */
export interface VerifiedToken {
  /** The issuer's id of the person. */
  subject: string;
  /** The issuer's id of the session: the same in all access tokens of a sign-in, including renewed ones. */
  sessionId: string;
  /** Unix time at which the token expires. */
  expiresAtEpoch: number;
  /** Unix time of the sign-in. */
  signedInAtEpoch: number | undefined;
  /** The groups of the user pool to which the person belongs. */
  groups: readonly string[];
}

/** Time limit of a request for the issuer's keys, in milliseconds. */
const TIMEOUT_MS = TIMEOUTS_S.login.keys * 1000;
/** The shortest time between two requests for the keys because of an unknown key id, which a forged token can have. */
const COOLDOWN_MS = 30_000;
const CACHE_MAX_AGE_MS = 600_000;

/** Returns true for an error of reading the keys, which does not make the token invalid. */
const isOutage = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === errors.JOSEError.code;

/**
 * Creates a verifier. It resolves with the claims of a valid, unexpired access token of the dashboard, and with undefined for any
 * other text. It rejects if the issuer's keys cannot be read.
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
      // Cognito's `origin_jti` identifies the sign-in. A token without it is a session of its own.
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
