import type { AuditAction } from '../../contract/audit/actions.ts';
import { formatInvoiceNumber } from '../../contract/billing/invoice-number.ts';
import type { InvoiceKind } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import { limitOf } from '../../contract/limits/limits.ts';
import { Account } from '../../table/entities/accounts.ts';
import { InvoiceSequence, WalletTransaction } from '../../table/entities/billing.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { change, changeOrInspect, check, create, type Write } from '../../table/writes.ts';
import { concurrentUpdate, contended, retryRequest } from '../conflict.ts';
import type { AuditedChange, Deps } from '../deps.ts';
import { countingTowards, findAccount, limitReached } from '../limits/limits.ts';
import { missingMoneyError, newCardError, withheldCents } from './card-risk.ts';
import { formatRand } from './money.ts';

/**
 * Money in whole cents. Three invariants always hold:
 * - The balance equals the sum of the ledger, and each entry records the balance after it.
 * - The balance is never negative, except after the bank takes back a card payment that was already spent.
 * - The invoice numbers of the whole platform have no gaps.
 *
 * A movement reads the balance and the last invoice number, and writes all its changes in one transaction, on the condition that
 * both are unchanged. If another movement was faster, it is repeated on fresh data, invisibly to the caller ({@link withWallet}).
 */

/** Returns the condition that no money of an account has been moved or frozen since it was read. */
export const balanceIs = ({ walletVersion, frozenCents }: Account) => ({
  walletVersion: unchanged(walletVersion),
  frozenCents: unchanged(frozenCents),
});

const yearIn = (now: string) => now.slice(0, 4);

/** An account's wallet within one transaction. Collects movements, invoice numbers and other writes for one commit. */
export class Wallet {
  /** The account as it was read. */
  readonly account: Account;
  /** The time of all changes in this transaction. */
  readonly now: string;
  /** The balance after all movements of this transaction. */
  balanceCents: number;
  private readonly lastNumber: number | undefined;
  private allocatedNumbers = 0;
  private readonly entries: WalletTransaction[] = [];
  private readonly otherWrites: Write[] = [];
  private isClosed = false;
  private unpaidOrders = 0;

  constructor(account: Account, numbers: InvoiceSequence | undefined, now: string) {
    this.account = account;
    this.now = now;
    this.balanceCents = account.walletCents;
    this.lastNumber = numbers?.last;
  }

  /** The balance minus the amount that is frozen because of disputed card payments. May be negative. */
  get spendableCents(): number {
    return this.balanceCents - (this.account.frozenCents ?? 0);
  }

  /** Returns the error, with the reason, of a payment that the balance does not allow; undefined if it does. */
  refusalOf(kind: InvoiceKind, amountCents: number): ApiError | undefined {
    const { account, now, spendableCents } = this;
    const withheld = withheldCents(account, kind, now);
    const money = { spendableCents, withheld, now };
    if (spendableCents < amountCents) return missingMoneyError(account, { ...money, amountCents });
    return spendableCents - withheld < amountCents ? newCardError(account, money) : undefined;
  }

  /** Pays for a purchase. Throws 402 `insufficient_funds` if the balance does not allow it. */
  pay(kind: InvoiceKind, amountCents: number, description: string): void {
    const refusal = this.refusalOf(kind, amountCents);
    if (refusal) throw refusal;
    this.post('PAYMENT', -amountCents, description);
  }

  /** Changes the balance by a signed amount. Throws 402 `insufficient_funds` if a deduction would make the balance negative. */
  move(type: WalletTransaction['type'], amountCents: number, description: string): void {
    if (amountCents < 0 && this.balanceCents + amountCents < 0) throw new ApiError('insufficient_funds');
    this.post(type, amountCents, description);
  }

  /** Deducts an amount that the bank took back, even if the balance becomes negative. */
  postChargeback(amountCents: number, description: string): void {
    this.post('ADJUSTMENT', -amountCents, description);
  }

  private post(type: WalletTransaction['type'], amountCents: number, description: string): void {
    this.assertOpen();
    this.balanceCents += amountCents;
    const serial = (this.account.walletVersion ?? 0) + this.entries.length + 1;
    const entry = { serial, type, amountCents, balanceAfterCents: this.balanceCents, description };
    this.entries.push({ ...entry, accountId: this.account.id, createdAt: this.now });
  }

  /** Returns the next invoice number. */
  allocateInvoiceNumber(): string {
    this.assertOpen();
    this.allocatedNumbers += 1;
    const number = (this.lastNumber ?? 0) + this.allocatedNumbers;
    return formatInvoiceNumber(yearIn(this.now), number);
  }

  /** Changes the number of unpaid domain orders by a signed count. The transaction fails with 409 if the account has reached its limit. */
  countUnpaidOrders(count: number): void {
    this.assertOpen();
    this.unpaidOrders += count;
  }

  /** Adds writes to the same transaction. */
  add(...writes: Write[]): void {
    this.assertOpen();
    this.otherWrites.push(...writes);
  }

  /**
   * Closes the wallet, and returns all its writes for one commit.
   * @param accountChange other changes of the account, because a transaction may write an item only once
   * @param onConditionFailed creates the error if the `when` of `accountChange` does not hold
   */
  writes(accountChange: Change = {}, onConditionFailed: () => Error = concurrentUpdate): Write[] {
    this.assertOpen();
    this.isClosed = true;
    const { id, walletVersion: read, frozenCents: frozen } = this.account;
    const when = balanceIs(this.account);
    const balance =
      this.entries.length > 0
        ? { walletCents: this.balanceCents, walletVersion: (read ?? 0) + this.entries.length }
        : {};
    const set = { ...balance, ...accountChange.set };
    const orders = this.orderChange();
    const isChanged = Object.keys({ ...accountChange, ...set, ...orders }).length > 0;
    const refused = (found: Account | undefined) => {
      if (found?.walletVersion !== read || found?.frozenCents !== frozen) return concurrentUpdate();
      const limit = limitOf(found ?? this.account, 'unpaidDomainOrders');
      if (this.unpaidOrders > 0 && (found?.unpaidOrderCount ?? 0) >= limit)
        return limitReached('unpaidDomainOrders', limit);
      return onConditionFailed();
    };
    // Entries of a deleted account, such as its refund, expire together with the account.
    const { expiresAtEpoch } = this.account;
    const expiry = expiresAtEpoch === undefined ? {} : { expiresAtEpoch };
    const conditions = { ...when, ...accountChange.when };
    const account = isChanged
      ? changeOrInspect(Account, { id }, { ...accountChange, ...orders, set, when: conditions }, refused)
      : check(Account, { id }, when, concurrentUpdate);
    return [
      contended(account),
      ...this.numberWrites(),
      ...this.entries.map((entry) => create(WalletTransaction, { ...entry, ...expiry }, concurrentUpdate)),
      ...this.otherWrites,
    ];
  }

  /** Returns this transaction's change for the audit log, with the balance before and after. */
  audited(action: AuditAction, subjectId: string, after: object, before: object = {}): AuditedChange {
    const { id, walletCents } = this.account;
    return {
      action,
      accountId: id,
      subjectId,
      before: { ...before, balance: formatRand(walletCents) },
      after: { ...after, balance: formatRand(this.balanceCents) },
    };
  }

  private orderChange(): Change {
    if (this.unpaidOrders === 0) return {};
    if (this.unpaidOrders > 0) return countingTowards('unpaidDomainOrders');
    return { add: { unpaidOrderCount: this.unpaidOrders } };
  }

  /** Throws after {@link writes} was called, because a later movement would be lost silently. */
  private assertOpen(): void {
    if (this.isClosed) throw new Error('this wallet has already returned its writes');
  }

  private numberWrites(): Write[] {
    if (this.allocatedNumbers === 0) return [];
    const year = yearIn(this.now);
    const before = this.lastNumber;
    const last = (before ?? 0) + this.allocatedNumbers;
    const write =
      before === undefined
        ? create(InvoiceSequence, { year, last }, concurrentUpdate)
        : change(InvoiceSequence, { year }, { set: { last }, when: { last: { is: before } } }, concurrentUpdate);
    return [contended(write)];
  }
}

async function openWallet(deps: Deps, accountId: string): Promise<Wallet> {
  const now = deps.now().toISOString();
  const [account, numbers] = await Promise.all([
    findAccount(deps, accountId),
    deps.table.get(InvoiceSequence, { year: yearIn(now) }),
  ]);
  return new Wallet(account, numbers, now);
}

/**
 * Moves money. Reads the wallet and calls `read` concurrently, then has `act` commit: two round trips. On a conflict with another
 * movement, repeats all of this, so `act` must have no effect other than its commit.
 *
 * @param read reads other data that `act` needs
 * @param act makes its changes through the wallet, and commits `wallet.writes()`
 * @throws the errors of `act`; 503 if conflicts persist for longer than a caller waits
 */
export async function withWallet<R, T>(
  deps: Deps,
  accountId: string,
  read: () => Promise<R>,
  act: (wallet: Wallet, found: R) => Promise<T>,
): Promise<T> {
  return await retryRequest(async () => {
    const [wallet, found] = await Promise.all([openWallet(deps, accountId), read()]);
    return await act(wallet, found);
  });
}

/** The `read` of {@link withWallet} for movements that need no other data. */
export const readNothing = async (): Promise<undefined> => undefined;
