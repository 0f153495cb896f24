import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import * as z from 'zod';

const KeyFile = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string(),
  alg: z.literal('RS256'),
  use: z.literal('sig'),
});

/** What an access token says, beside who issued it and when. */
export interface AccessClaims {
  issuer: string;
  clientId: string;
  /** Whom it is for. */
  audience: string;
  subject: string;
}

/** The key that the local run's logins are signed with: a private JWK in a file that only its owner may read. */
export async function openLoginKey(file: string): Promise<JWK> {
  if (existsSync(file)) return KeyFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(key), { mode: 0o600 });
  return key;
}

/** The half of a key that everybody may see. */
export const publicHalf = ({ kty, n, e, kid, alg, use }: JWK): JWK => ({ kty, n, e, kid, alg, use }) as JWK;

/**
 * An access token as the pages of the login give it after a sign-in, with the claims of Cognito's that our code reads.
 * @param seconds how long it is valid
 */
export function signAccessToken(key: JWK, claims: AccessClaims, seconds: number): Promise<string> {
  const { issuer, clientId, audience, subject } = claims;
  return new SignJWT({ client_id: clientId, token_use: 'access', scope: 'openid email profile' })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...(key.kid ? { kid: key.kid } : {}) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${seconds}s`)
    .sign(key);
}
