import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import * as z from 'zod';
import { parseJson } from '../../../contract/json.ts';
import { readReplaced, replaceFile } from '../../replaced-file.ts';

const KeyFile = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string(),
  alg: z.literal('RS256'),
  use: z.literal('sig'),
});

/** Claims of an access token, without its times. */
export interface AccessClaims {
  issuer: string;
  clientId: string;
  /** The resource for which the token is valid. */
  audience: string;
  subject: string;
  /** The session of the token. Default: a new session. */
  session?: string;
  /** The user's groups in the user pool. */
  groups?: readonly string[] | undefined;
}

/** Opens or creates the signing key of the local login: a private JWK in a file that only its owner may read. */
export async function openLoginKey(file: string): Promise<JWK> {
  // A file that a full disk cut short is replaced: the sessions that it signed end.
  const known = KeyFile.safeParse(parseJson(readReplaced(file) ?? ''));
  if (known.success) return known.data;
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, JSON.stringify(key));
  return key;
}

/** Returns the claim with a user's groups. Like Cognito, omits the claim if there are none. */
export const groupsClaim = (groups: readonly string[] = []) => (groups.length > 0 ? { 'cognito:groups': groups } : {});

export const publicKeyOf = ({ kty, n, e, kid, alg, use }: JWK): JWK => ({ kty, n, e, kid, alg, use }) as JWK;

/**
 * Signs an access token like those that a sign-in issues, with the Cognito claims that the platform reads.
 * @param seconds validity of the token
 */
export function signAccessToken(key: JWK, claims: AccessClaims, seconds: number): Promise<string> {
  const { issuer, clientId, audience, subject, session = randomUUID(), groups } = claims;
  const cognitoClaims = {
    origin_jti: session,
    auth_time: Math.floor(Date.now() / 1000),
    username: subject,
    ...groupsClaim(groups),
  };
  return new SignJWT({ ...cognitoClaims, client_id: clientId, token_use: 'access', scope: 'openid email profile' })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...(key.kid ? { kid: key.kid } : {}) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${seconds}s`)
    .sign(key);
}
