import { randomBytes } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';
import type { getGitHook as HookRoute, getDeployKey as KeyRoute } from '../contract/git-access.ts';
import type { Input, Output } from '../contract/route.ts';
import type { Secrets } from '../providers/secrets.ts';
import { newSshKeyPair } from '../providers/ssh-keys.ts';
import { App } from '../table/entities.ts';
import { GitAccess } from '../table/git-entities.ts';
import type { Caller, Deps } from './deps.ts';

/** What an application's hook secret is sealed under: hooks are checked by a function that opens nothing else. */
const hookContext = (applicationId: string) => ({ gitHook: applicationId });
/** What an application's deploy key is sealed under: only a build opens it. */
const deployKeyContext = (applicationId: string) => ({ deployKey: applicationId });

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

/** An application of the caller's, and what its Git host knows it by. Throws 404. */
async function findAccess(deps: Deps, { accountId }: Caller, id: string): Promise<GitAccess> {
  const [app, access] = await Promise.all([
    deps.table.get(App, { accountId, id }),
    deps.table.get(GitAccess, { applicationId: id }),
  ]);
  if (!app || app.status === 'DELETING' || !access) throw new ApiError('not_found', 'There is no such application.');
  return access;
}

/** GET /dashboard/v1/apps/{id}/deploy-key */
export async function getDeployKey(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof KeyRoute>,
): Promise<Output<typeof KeyRoute>> {
  const { publicKey } = await findAccess(deps, caller, id);
  return { data: { publicKey } };
}

/** GET /dashboard/v1/apps/{id}/git-hook */
export async function getGitHook(
  deps: Deps & { secrets: Secrets },
  caller: Caller,
  { id }: Input<typeof HookRoute>,
): Promise<Output<typeof HookRoute>> {
  const secret = await openHookSecret(deps, await findAccess(deps, caller, id));
  return { data: { url: `${deps.settings.publicUrl}/hooks/git/${id}`, secret } };
}
