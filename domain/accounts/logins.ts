import { DEFAULT_PLAN } from '../../contract/billing/plans.ts';
import { accountSuspended } from '../../contract/errors.ts';
import { Account, Login } from '../../table/entities/accounts.ts';
import { change, changeOrInspect, createViaUpdate } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps, Profile } from '../deps.ts';

/** Settings of an account that a first login opens. */

/** Returns the account that a person's login opens. */
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
 * Opens the account of a login that has none. Of two first requests at once one opens it, and the other finds it there.
 * Any operation may be a login's first, also one that otherwise only reads: all is done by updates, which everybody may.
 */
export async function openLogin(
  deps: Deps,
  subject: string,
  { email, name }: Pick<Profile, 'email' | 'name'>,
): Promise<void> {
  const account = newAccountOf(deps, subject, { email, name });
  // On a conflict another request opened it.
  await ignoreConflict(
    deps.table.transact([
      createViaUpdate(Login, { subject, accountId: account.id, listed: true, email, name }, concurrentUpdate),
      createViaUpdate(Account, account, concurrentUpdate),
    ]),
  );
}

/**
 * Lists a login in its account, which older logins are not: a suspension of the account must find it. Throws 403 where it has
 * not found it.
 */
export async function listLogin(
  deps: Deps,
  { subject, accountId }: Pick<Login, 'subject' | 'accountId'>,
): Promise<void> {
  const unlisted = { set: { listed: true }, when: { listed: 'absent' as const } };
  const append = { append: { logins: [subject] }, when: { suspension: 'absent' as const } };
  // On a conflict another request listed it.
  await ignoreConflict(
    deps.table.transact([
      change(Login, { subject }, unlisted, concurrentUpdate),
      changeOrInspect(Account, { id: accountId }, append, (account) =>
        account?.suspension ? accountSuspended(account.suspension.reason) : concurrentUpdate(),
      ),
    ]),
  );
}
