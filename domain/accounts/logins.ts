import { DEFAULT_PLAN } from '../../contract/billing/plans.ts';
import { accountSuspended } from '../../contract/errors.ts';
import type { Profile } from '../../providers/login/profiles.ts';
import { Account, Login } from '../../table/entities/accounts.ts';
import { change, changeOrInspect, createViaUpdate } from '../../table/writes.ts';
import { concurrentUpdate, tryTransact } from '../conflict.ts';
import type { Deps } from '../deps.ts';

/** Returns the new account of a login. */
export const newAccountOf = (
  deps: Pick<Deps, 'now' | 'newId'>,
  subject: string,
  { email, name }: Pick<Profile, 'email' | 'name'>,
): Account => ({
  id: deps.newId('acc'),
  email,
  name,
  plan: DEFAULT_PLAN,
  logins: [subject],
  appCount: 0,
  keyCount: 0,
  walletCents: 0,
  walletVersion: 0,
  createdAt: deps.now().toISOString(),
});

/**
 * Opens the account of a login that has none. Of two concurrent first requests, one opens it, and the other finds it open.
 * Uses updates only: any operation may be a login's first, and functions of read-only operations have the right to update but not to put.
 */
export async function openLogin(
  deps: Deps,
  subject: string,
  { email, name }: Pick<Profile, 'email' | 'name'>,
): Promise<void> {
  const account = newAccountOf(deps, subject, { email, name });
  // On a conflict, another request has opened it.
  await tryTransact(deps, [
    createViaUpdate(Login, { subject, accountId: account.id, listed: true, email, name }, concurrentUpdate),
    createViaUpdate(Account, account, concurrentUpdate),
  ]);
}

/**
 * Adds a login to its account's list of logins, in which a suspension finds them. Logins of earlier versions are not listed. Throws 403 if
 * the account has been suspended without finding this login.
 */
export async function listLogin(
  deps: Deps,
  { subject, accountId }: Pick<Login, 'subject' | 'accountId'>,
): Promise<void> {
  const unlisted = { set: { listed: true }, when: { listed: 'absent' as const } };
  const append = { append: { logins: [subject] }, when: { suspension: 'absent' as const } };
  // On a conflict, another request has listed it.
  await tryTransact(deps, [
    change(Login, { subject }, unlisted, concurrentUpdate),
    changeOrInspect(Account, { id: accountId }, append, (account) =>
      account?.suspension ? accountSuspended(account.suspension.reason) : concurrentUpdate(),
    ),
  ]);
}
