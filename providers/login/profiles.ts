import * as z from 'zod/mini';

/** How long an issuer may take for an answer, in milliseconds. */
const PATIENCE = 5_000;

const Discovery = z.object({ userinfo_endpoint: z.url() });
const UserInfo = z.object({ email: z.email(), name: z.optional(z.string()) });

async function read<T>(schema: z.ZodMiniType<T>, url: string, headers: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return schema.parse(await answer.json());
}

/**
 * What an OpenID issuer knows of the bearer of an access token; the token itself does not say it. Who has given no name is
 * called by the part of the address before the @. Throws when the issuer does not answer.
 */
export async function readProfile(issuer: string, token: string): Promise<{ email: string; name: string }> {
  const { userinfo_endpoint } = await read(Discovery, `${issuer}/.well-known/openid-configuration`);
  const { email, name } = await read(UserInfo, userinfo_endpoint, { authorization: `Bearer ${token}` });
  return { email, name: name?.trim() || (email.split('@')[0] ?? email) };
}
