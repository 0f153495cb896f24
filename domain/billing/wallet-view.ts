import { type getWallet as GetRoute, MAX_TRANSACTIONS_SHOWN } from '../../contract/billing/wallet.ts';
import type { Output } from '../../contract/route.ts';
import { WalletTransaction, walletOf } from '../../table/entities/billing.ts';
import type { Caller, Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { formatRand } from './money.ts';

/** GET /v1/wallet. Balance and transactions are consistent: the balance is the one after the newest transaction. */
export async function getWallet(deps: Deps, { accountId }: Caller): Promise<Output<typeof GetRoute>> {
  const [account, newest] = await Promise.all([
    findAccount(deps, accountId),
    deps.table.all(WalletTransaction, walletOf(accountId), { limit: MAX_TRANSACTIONS_SHOWN }),
  ]);
  const transactions = newest.map(({ amountCents, balanceAfterCents, type, description, createdAt }) => ({
    amount: formatRand(amountCents),
    balanceAfter: formatRand(balanceAfterCents),
    type,
    description,
    createdAt,
  }));
  const balance = transactions[0]?.balanceAfter ?? formatRand(account.walletCents);
  const { frozenCents = 0 } = account;
  const frozen = frozenCents > 0 ? { frozen: formatRand(frozenCents) } : {};
  return { data: { balance, autoTopUpEnabled: account.autoTopUp?.enabled ?? false, ...frozen, transactions } };
}
