import { randomBytes } from 'node:crypto';
import type {
  getGitHook as HookRoute,
  getDeployKey as KeyRoute,
  rotateGitHook as RotateHookRoute,
  rotateDeployKey as RotateKeyRoute,
} from '../../contract/apps/git-access.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { newSshKeyPair } from '../../providers/git/ssh-keys.ts';
import { App, GitAccess } from '../../table/entities/apps.ts';
import type { Change } from '../../table/expressions.ts';
import { change, type Write } from '../../table/writes.ts';
import { openSecret } from '../cache/secret-cache.ts';
import { changedConcurrently } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { noSuchApp } from './apps.ts';

/** Encryption context of an application's hook secret: the function that checks hooks can decrypt nothing else. */
const hookContext = (applicationId: string) => ({ gitHook: applicationId });
/** Encryption context of an application's deploy key: only a build decrypts it. */
const deployKeyContext = (applicationId: string) => ({ deployKey: applicationId });

/** A new hook secret, as its owner sees it and as it is stored. */
async function newHookSecret({ secrets }: { secrets: Secrets }, applicationId: string) {
  const secret = randomBytes(32).toString('base64url');
  return { secret, sealed: await secrets.seal(hookContext(applicationId), secret) };
}

/** A new deploy key as it is stored: the public half as OpenSSH writes it, the private one sealed. */
async function newDeployKey({ secrets }: { secrets: Secrets }, applicationId: string) {
  const { publicKey, privateKey } = newSshKeyPair(applicationId);
  return { publicKey, privateKey: await secrets.seal(deployKeyContext(applicationId), privateKey) };
}

/** Makes the credentials between a new application and its Git host: a hook secret and a deploy key, both encrypted. */
export async function newGitAccess(
  deps: { secrets: Secrets },
  { accountId, applicationId }: { accountId: string; applicationId: string },
): Promise<GitAccess> {
  const [{ sealed }, deployKey] = await Promise.all([
    newHookSecret(deps, applicationId),
    newDeployKey(deps, applicationId),
  ]);
  return { applicationId, accountId, hookSecret: sealed, ...deployKey };
}

/** The secret that an application's hooks are signed with. */
export const openHookSecret = (deps: { secrets: Secrets }, { applicationId, hookSecret }: GitAccess): Promise<string> =>
  openSecret(deps, hookContext(applicationId), hookSecret);

/** An application of the caller's, and what its Git host knows it by. Throws 404. */
async function findAccess(deps: Deps, { accountId }: Caller, id: string): Promise<GitAccess> {
  const [app, access] = await Promise.all([
    deps.table.get(App, { accountId, id }),
    deps.table.get(GitAccess, { applicationId: id }),
  ]);
  if (!app || app.status === 'DELETING' || !access) throw noSuchApp();
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
  return { data: viewHook(deps, id, secret) };
}

const viewHook = ({ settings }: Deps, id: string, secret: string) => ({
  url: `${settings.publicUrl}/hooks/git/${id}`,
  secret,
});

/**
 * Replaces stored credentials, unless they changed since they were read: of two new secrets, the caller could not tell
 * which one is in use.
 */
const replaceSecret = (applicationId: string, what: Pick<Change, 'set' | 'when'>): Write =>
  change(GitAccess, { applicationId }, what, changedConcurrently);

/**
 * POST /dashboard/v1/apps/{id}/deploy-key/rotate: builds that begin from now on have the new key alone, and fail on a
 * private repository until its host has it too. Throws 404, and 409 beside another rotation.
 */
export async function rotateDeployKey(
  deps: Deps & { secrets: Secrets },
  caller: Caller,
  { id }: Input<typeof RotateKeyRoute>,
): Promise<Output<typeof RotateKeyRoute>> {
  const { publicKey: before } = await findAccess(deps, caller, id);
  const made = await newDeployKey(deps, id);
  const write = replaceSecret(id, { set: made, when: { publicKey: { is: before } } });
  const { publicKey } = made;
  return await deps.commit([write], { data: { publicKey } }, { before: { publicKey: before }, after: { publicKey } });
}

/**
 * POST /dashboard/v1/apps/{id}/git-hook/rotate: there is one secret at a time (docs/decisions/0020-git-integration.md). Throws 404, and 409
 * beside another rotation.
 */
export async function rotateGitHook(
  deps: Deps & { secrets: Secrets },
  caller: Caller,
  { id }: Input<typeof RotateHookRoute>,
): Promise<Output<typeof RotateHookRoute>> {
  const { hookSecret: before } = await findAccess(deps, caller, id);
  const { secret, sealed } = await newHookSecret(deps, id);
  const when = { 'hookSecret.ciphertext': { is: before.ciphertext } };
  const write = replaceSecret(id, { set: { hookSecret: sealed }, when });
  return await deps.commit([write], { data: viewHook(deps, id, secret) });
}
