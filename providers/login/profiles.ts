import * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/** Timeout of a request to an issuer, in milliseconds. */
const TIMEOUT_MS = TIMEOUTS_S.login.profile * 1000;

const Discovery = z.object({ userinfo_endpoint: z.url() });
const UserInfo = z.object({
  email: z.string().check(z.regex(/^[^\s@]+@[^\s@]+$/)),
  /** Cognito sends a string (https://docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html). */
  email_verified: z.optional(z.union([z.boolean(), z.string()])),
  name: z.optional(z.string()),
});

/** The profile of a person who signed in, as the issuer of logins reports it. */
export interface Profile {
  email: string;
  name: string;
  /** True if the issuer has verified that the address is the person's. */
  isVerified: boolean;
}

/** The issuer no longer accepts the token: its user has been deleted or its session revoked. */
export class TokenRefused extends Error {}

async function read<T>(schema: z.ZodMiniType<T>, url: string, headers: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (answer.status === 401 && headers.authorization) throw new TokenRefused(`${url} answered 401`);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return schema.parse(await answer.json());
}

/** The maximum length of a name in characters, as on the sign-up page. */
const MAX_NAME_LENGTH = 100;

/**
 * Returns a name as one line of limited length. Cognito accepts 2,048 characters of any kind from programs that sign up, and every
 * request writes the login's item, which has a name for each of its accounts.
 */
const lineOf = (name: string): string =>
  [...name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()].slice(0, MAX_NAME_LENGTH).join('');

/**
 * Reads the profile of an access token's bearer from its OpenID issuer, because the token does not contain one. If the profile has no name,
 * uses the part of the email address before the @. Throws {@link TokenRefused}, or another error if the issuer does not answer.
 */
export async function readProfile(issuer: string, token: string): Promise<Profile> {
  const { userinfo_endpoint } = await read(Discovery, `${issuer}/.well-known/openid-configuration`);
  const { email, email_verified, name } = await read(UserInfo, userinfo_endpoint, { authorization: `Bearer ${token}` });
  return {
    email,
    name: lineOf(name ?? '') || (email.split('@')[0] ?? email),
    isVerified: String(email_verified) === 'true',
  };
}
