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
import { GitAccess } from '../../table/entities/apps.ts';
import type { Change } from '../../table/expressions.ts';
import { change, type Write } from '../../table/writes.ts';
import { openSecret } from '../cache/secret-cache.ts';
import { changedConcurrently } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { findApp, noSuchApp } from './apps.ts';

/** Returns the encryption context of an application's hook secret: the function that authenticates hooks can decrypt nothing else. */
const hookContext = (applicationId: string) => ({ gitHook: applicationId });
/** Returns the encryption context of an application's deploy key: it is decrypted for builds only. */
const deployKeyContext = (applicationId: string) => ({ deployKey: applicationId });

/** Creates a hook secret, in plain text for its owner and sealed for the table. */
async function newHookSecret({ secrets }: { secrets: Secrets }, applicationId: string) {
  const secret = randomBytes(32).toString('base64url');
  return { secret, sealed: await secrets.seal(hookContext(applicationId), secret) };
}

/** Creates a deploy key: the public half in OpenSSH's format, the private half sealed. */
async function newDeployKey({ secrets }: { secrets: Secrets }, applicationId: string) {
  const { publicKey, privateKey } = newSshKeyPair(applicationId);
  return { publicKey, privateKey: await secrets.seal(deployKeyContext(applicationId), privateKey) };
}

/** Creates the credentials between a new application and its Git host: a hook secret and a deploy key, both encrypted. */
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

/** Returns the secret that signs an application's hooks, in plain text. */
export const openHookSecret = (deps: { secrets: Secrets }, { applicationId, hookSecret }: GitAccess): Promise<string> =>
  openSecret(deps, hookContext(applicationId), hookSecret);

/** Returns the Git credentials of an application of the caller. Throws 404. */
async function findAccess(deps: Deps, caller: Caller, id: string): Promise<GitAccess> {
  const [, access] = await Promise.all([findApp(deps, caller, id), deps.table.get(GitAccess, { applicationId: id })]);
  if (!access) throw noSuchApp();
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
 * Returns the write that replaces stored credentials. It throws 409 if they changed since they were read: after two rotations the
 * caller could not tell which secret is in use.
 */
const replaceSecret = (applicationId: string, update: Pick<Change, 'set' | 'when'>): Write =>
  change(GitAccess, { applicationId }, update, changedConcurrently);

/**
 * POST /dashboard/v1/apps/{id}/deploy-key/rotate: new builds use the new key only, and cannot clone a private repository until the
 * key is registered at its host. Throws 404, and 409 on a concurrent rotation.
 */
export async function rotateDeployKey(
  deps: Deps & { secrets: Secrets },
  caller: Caller,
  { id }: Input<typeof RotateKeyRoute>,
): Promise<Output<typeof RotateKeyRoute>> {
  const { publicKey: before } = await findAccess(deps, caller, id);
  const deployKey = await newDeployKey(deps, id);
  const write = replaceSecret(id, { set: deployKey, when: { publicKey: { is: before } } });
  const { publicKey } = deployKey;
  return await deps.commit([write], { data: { publicKey } }, { before: { publicKey: before }, after: { publicKey } });
}

/**
 * POST /dashboard/v1/apps/{id}/git-hook/rotate: only one secret is valid at a time (docs/decisions/0020-git-integration.md). Throws 404,
 * and 409 on a concurrent rotation.
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
