import { type getWallet as GetRoute, TRANSACTIONS_SHOWN } from '../../contract/billing/wallet.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Output } from '../../contract/route.ts';
import { WalletTransaction, walletOf } from '../../table/entities/billing.ts';
import { Account } from '../../table/entities.ts';
import type { Caller, Deps } from '../deps.ts';
import { rand } from './money.ts';

/** GET /v1/wallet: balance and transactions are of one moment, for each transaction says the balance after it. */
export async function getWallet(deps: Deps, { accountId }: Caller): Promise<Output<typeof GetRoute>> {
  const [account, newest] = await Promise.all([
    deps.table.get(Account, { id: accountId }),
    deps.table.all(WalletTransaction, walletOf(accountId), { limit: TRANSACTIONS_SHOWN }),
  ]);
  if (!account) throw new ApiError('not_found');
  const transactions = newest.map(({ amountCents, balanceAfterCents, type, description, createdAt }) => ({
    ...{ amount: rand(amountCents), balanceAfter: rand(balanceAfterCents), type, description, createdAt },
  }));
  const balance = transactions[0]?.balanceAfter ?? rand(account.walletCents);
  return { data: { balance, autoTopUpEnabled: account.autoTopUp?.enabled ?? false, transactions } };
}
