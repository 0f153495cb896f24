import type { Context, Sealed, Secrets } from '../providers/encryption/secrets.ts';

/** Secrets that this warm instance has opened, by their ciphertext: a key call for each use would be too dear. */
const opened = new Map<string, string>();
const OPENED_MOST = 2000;

/** What is sealed, under the context that it was sealed with. */
export async function openSecret({ secrets }: { secrets: Secrets }, context: Context, sealed: Sealed): Promise<string> {
  const known = opened.get(sealed.ciphertext);
  if (known !== undefined) return known;
  const secret = await secrets.unseal(context, sealed);
  if (opened.size >= OPENED_MOST) opened.clear();
  opened.set(sealed.ciphertext, secret);
  return secret;
}
