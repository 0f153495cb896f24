import { randomBytes } from 'node:crypto';
import type { Secrets } from '../providers/secrets.ts';
import { newSshKeyPair } from '../providers/ssh-keys.ts';
import type { GitAccess } from '../table/git-entities.ts';

/** What an application's hook secret is sealed under: hooks are checked by a function that opens nothing else. */
const hookContext = (applicationId: string) => ({ gitHook: applicationId });
/** What an application's deploy key is sealed under: only a build opens it. */
export const deployKeyContext = (applicationId: string) => ({ deployKey: applicationId });

/** What a new application and its Git host will know each other by: a hook secret and a deploy key, both sealed. */
export async function newGitAccess(
  { secrets }: { secrets: Secrets },
  { accountId, applicationId }: { accountId: string; applicationId: string },
): Promise<GitAccess> {
  const { publicKey, privateKey } = newSshKeyPair(applicationId);
  const [hookSecret, sealedKey] = await Promise.all([
    secrets.seal(hookContext(applicationId), randomBytes(32).toString('base64url')),
    secrets.seal(deployKeyContext(applicationId), privateKey),
  ]);
  return { applicationId, accountId, hookSecret, publicKey, privateKey: sealedKey };
}

/** Secrets that this warm instance has opened, by their ciphertext: a key call for each push would be too dear. */
const opened = new Map<string, string>();
const OPENED_MOST = 2000;

/** The secret that an application's hooks are signed with. */
export async function openHookSecret(
  { secrets }: { secrets: Secrets },
  { applicationId, hookSecret }: GitAccess,
): Promise<string> {
  const known = opened.get(hookSecret.ciphertext);
  if (known !== undefined) return known;
  const secret = await secrets.unseal(hookContext(applicationId), hookSecret);
  if (opened.size >= OPENED_MOST) opened.clear();
  opened.set(hookSecret.ciphertext, secret);
  return secret;
}
