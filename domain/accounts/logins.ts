import { Account, Login } from '../../table/entities/accounts.ts';
import { createViaUpdate } from '../../table/writes.ts';
import { DEFAULT_PLAN } from '../billing/default-plan.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';

/** Settings of an account that a first login opens. */

/** The profile of a person who signed in, as the issuer reports it. */
export interface Profile {
  email: string;
  name: string;
}

/**
 * Opens the account of a login that has none. Of two first requests at once one opens it, and the other finds it there.
 * Any operation may be a login's first, also one that otherwise only reads: all is done by updates, which everybody may.
 */
export async function openLogin(deps: Deps, subject: string, { email, name }: Profile): Promise<void> {
  const id = deps.newId('acc');
  const createdAt = deps.now().toISOString();
  const account: Account = {
    id,
    email,
    name,
    plan: DEFAULT_PLAN,
    appCount: 0,
    walletCents: 0,
    walletVersion: 0,
    createdAt,
  };
  // On a conflict another request opened it.
  await ignoreConflict(
    deps.table.transact([
      createViaUpdate(Login, { subject, accountId: id }, concurrentUpdate),
      createViaUpdate(Account, account, concurrentUpdate),
    ]),
  );
}
