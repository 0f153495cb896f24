import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

/**
 * Checks access tokens. Imports nothing of ours and is itself imported when the first login comes: a function that is
 * called with keys never loads it.
 */

export interface Trusted {
  /** Whose tokens count; their keys are at `<issuer>/.well-known/jwks.json`. */
  issuer: string;
  /** The one client that tokens must have been issued to: our dashboard. */
  clientId: string;
  /** A token that names whom it is for must name this. */
  audience: string;
}

/** Waits for the issuer's keys, in milliseconds. */
const PATIENCE = 3_000;
/** An unknown key id makes us ask for the keys again, but not more often than this: forgers choose ids as they like. */
const COOLDOWN = 30_000;
const KEPT = 600_000;

/** What went wrong was getting the keys, and says nothing of the token. */
const isOutage = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === errors.JOSEError.code;

/**
 * Makes a checker: it resolves with the subject of a genuine access token of ours that has not expired, and with undefined
 * for any other text. Throws when the issuer's keys cannot be had.
 */
export function accessTokens({ issuer, clientId, audience }: Trusted) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
    timeoutDuration: PATIENCE,
    cooldownDuration: COOLDOWN,
    cacheMaxAge: KEPT,
  });
  const expected = { issuer, algorithms: ['RS256'], requiredClaims: ['sub', 'exp', 'client_id', 'token_use'] };
  return async (token: string, now: Date): Promise<string | undefined> => {
    try {
      const { payload } = await jwtVerify(token, keys, { ...expected, currentDate: now });
      const ours =
        payload.client_id === clientId &&
        payload.token_use === 'access' &&
        (payload.aud === undefined || [payload.aud].flat().includes(audience));
      return ours ? payload.sub : undefined;
    } catch (error) {
      if (isOutage(error)) throw error;
      return undefined;
    }
  };
}
