import type * as z from 'zod/mini';
import type { getAccount as getAccountRoute } from '../../contract/accounts/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Output } from '../../contract/route.ts';
import { WalletTransaction } from '../../table/entities/billing.ts';
import { Account } from '../../table/entities.ts';
import { Login } from '../../table/login-entities.ts';
import { create } from '../../table/writes.ts';
import { addCredits, creditEntry } from '../ai/credits.ts';
import { rand } from '../billing/money.ts';
import type { Caller, Deps } from '../deps.ts';
import type { NewAccountInput } from '../workflow.ts';
import { makeKey } from './credentials.ts';

/** GET /v1/account */
export async function getAccount(deps: Deps, caller: Caller): Promise<Output<typeof getAccountRoute>> {
  const account = await deps.table.get(Account, { id: caller.accountId });
  if (!account) throw new ApiError('not_found');
  const { id, email, name, plan, walletCents, createdAt } = account;
  return { data: { id, email, name, walletBalance: rand(walletCents), plan, createdAt } };
}

const loginTaken = () => new ApiError('conflict', 'This login has an account already.');

export interface OpenedAccount {
  id: string;
  keys: { name: string; id: string; secretKey: string; publicKey: string }[];
}

/** Opens an account with its first keys; their secrets are shown here and never again. For operators and seeding. */
export async function openAccount(deps: Deps, input: z.output<typeof NewAccountInput>): Promise<OpenedAccount> {
  const createdAt = deps.now().toISOString();
  const id = deps.newId('acc');
  const keys = input.keys.map(({ name, scopes, allowedOrigins = ['*'], expiresAt, revoked }) => {
    const keyId = deps.newId('key');
    const revokedAt = revoked ? createdAt : null;
    const made = makeKey({
      ...{ accountId: id, keyId, name, scopes, allowedOrigins, revokedAt, createdAt },
      expiresAt: expiresAt ?? null,
    });
    return { name, id: keyId, ...made };
  });
  const { email, name, plan, walletCents, login } = input;
  const account = { id, email, name, plan, walletCents, walletSerial: walletCents > 0 ? 1 : 0, appCount: 0, createdAt };
  const opening = {
    ...{ accountId: id, serial: 1, type: 'ADJUSTMENT' as const, amountCents: walletCents },
    ...{ balanceAfterCents: walletCents, description: 'Opening balance', createdAt },
  };
  const ledger = walletCents > 0 ? [create(WalletTransaction, opening)] : [];
  const logins = login ? [create(Login, { subject: login, accountId: id }, loginTaken)] : [];
  const shown = keys.map(({ writes, listed, ...key }) => key);
  const credits = addCredits(creditEntry(deps, id, 'ADJUSTMENT', input.aiCreditsMicroRand));
  return await deps.commit(
    [create(Account, account), ...logins, ...ledger, ...credits, ...keys.flatMap((key) => key.writes)],
    {
      id,
      keys: shown,
    },
  );
}
