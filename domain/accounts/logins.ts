import { Account } from '../../table/entities.ts';
import { Login } from '../../table/login-entities.ts';
import { makeByUpdate } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { FIRST_PLAN } from '../first-plan.ts';

/** What an account begins with that nobody opened by hand. */

/** Who signed in, in the issuer's words. */
export interface Profile {
  email: string;
  name: string;
}

class AlreadyOpen extends Error {}

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
    plan: FIRST_PLAN,
    appCount: 0,
    walletCents: 0,
    walletSerial: 0,
    createdAt,
  };
  const already = () => new AlreadyOpen();
  try {
    await deps.table.transact([
      makeByUpdate(Login, { subject, accountId: id }, already),
      makeByUpdate(Account, account, already),
    ]);
  } catch (error) {
    if (!(error instanceof AlreadyOpen)) throw error;
  }
}
