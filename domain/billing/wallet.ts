import type { AuditAction } from '../../contract/audit/actions.ts';
import type { InvoiceKind } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import { limitOf } from '../../contract/limits/limits.ts';
import { Account } from '../../table/entities/accounts.ts';
import { InvoiceSequence, WalletTransaction } from '../../table/entities/billing.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { change, changeOrInspect, check, create, type Write } from '../../table/writes.ts';
import { concurrentUpdate, contended, retryOnConflict, serviceBusy } from '../conflict.ts';
import type { AuditedChange, Deps } from '../deps.ts';
import { countingTowards, findAccount, limitReached } from '../limits/limits.ts';
import { disputeError, newCardError, withheldCents } from './card-risk.ts';
import { formatRand } from './money.ts';

/**
 * Money in whole cents. Always true:
 * - the balance is the sum of the ledger, and each entry says the balance after it;
 * - the balance is never below zero, but where the bank takes back a card payment that was spent already;
 * - invoice numbers have no gaps over the whole platform.
 *
 * A movement reads the balance and the last invoice number, and writes all that follows in one transaction that
 * holds only if both are still so. A movement that comes too late begins again with what is there now, unseen by the
 * caller ({@link withWallet}).
 */

/** Returns the condition that no money of an account has moved, or been frozen, since it was read. */
export const balanceIs = ({ walletVersion, frozenCents }: Account) => ({
  walletVersion: unchanged(walletVersion),
  frozenCents: unchanged(frozenCents),
});

const yearIn = (now: string) => now.slice(0, 4);

/** An account's wallet within one transaction: money is moved and numbers are taken here, then all of it is written. */
export class Wallet {
  /** The account as it was read. */
  readonly account: Account;
  /** The time of everything in this transaction. */
  readonly now: string;
  /** The balance with all that has been moved. */
  balanceCents: number;
  private readonly lastNumber: number | undefined;
  private numbersTaken = 0;
  private readonly entries: WalletTransaction[] = [];
  private readonly others: Write[] = [];
  private taken = false;
  private unpaidOrders = 0;

  constructor(account: Account, numbers: InvoiceSequence | undefined, now: string) {
    this.account = account;
    this.now = now;
    this.balanceCents = account.walletCents;
    this.lastNumber = numbers?.last;
  }

  /** The balance without what is frozen because a card payment is disputed. May be negative. */
  get spendableCents(): number {
    return this.balanceCents - (this.account.frozenCents ?? 0);
  }

  /** Returns the error of a payment that the balance does not allow, with the reason; undefined if it does. */
  refusalOf(kind: InvoiceKind, amountCents: number): ApiError | undefined {
    const { account, now, spendableCents, balanceCents } = this;
    if (balanceCents < amountCents) {
      const missing = formatRand(amountCents - spendableCents);
      return new ApiError('insufficient_funds', `Insufficient wallet balance: R${missing} is missing. Top up first.`);
    }
    if (spendableCents < amountCents) return disputeError(account.frozenCents ?? 0);
    const withheld = withheldCents(account, kind, now);
    if (spendableCents - withheld >= amountCents) return undefined;
    return newCardError(account, { spendableCents, withheld, now });
  }

  /** Pays for goods. Throws 402 `insufficient_funds` where the balance does not allow it. */
  pay(kind: InvoiceKind, amountCents: number, description: string): void {
    const refusal = this.refusalOf(kind, amountCents);
    if (refusal) throw refusal;
    this.post('PAYMENT', -amountCents, description);
  }

  /** Changes the balance by a signed amount. Throws 402 `insufficient_funds` rather than go below zero. */
  move(type: WalletTransaction['type'], amountCents: number, description: string): void {
    if (amountCents < 0 && this.balanceCents + amountCents < 0) throw new ApiError('insufficient_funds');
    this.post(type, amountCents, description);
  }

  /** Takes an amount that the bank took back, whatever the balance. */
  takeBack(amountCents: number, description: string): void {
    this.post('ADJUSTMENT', -amountCents, description);
  }

  private post(type: WalletTransaction['type'], amountCents: number, description: string): void {
    this.assertOpen();
    this.balanceCents += amountCents;
    const serial = (this.account.walletVersion ?? 0) + this.entries.length + 1;
    const entry = { serial, type, amountCents, balanceAfterCents: this.balanceCents, description };
    this.entries.push({ ...entry, accountId: this.account.id, createdAt: this.now });
  }

  /** The next invoice number. */
  takeNumber(): string {
    this.assertOpen();
    this.numbersTaken += 1;
    const number = (this.lastNumber ?? 0) + this.numbersTaken;
    return `INV-${yearIn(this.now)}-${String(number).padStart(6, '0')}`;
  }

  /** Counts unpaid domain orders, up or down. Throws 409 with the transaction where the account has as many as it may. */
  countUnpaidOrders(count: number): void {
    this.assertOpen();
    this.unpaidOrders += count;
  }

  /** Writes that go into the same transaction. */
  add(...writes: Write[]): void {
    this.assertOpen();
    this.others.push(...writes);
  }

  /**
   * Everything, for one commit.
   * @param more what else changes of the account: one transaction takes one write of an item. `onConditionFailed` is for its `when`
   */
  writes(more: Change = {}, onConditionFailed: () => Error = concurrentUpdate): Write[] {
    this.assertOpen();
    this.taken = true;
    const { id, walletVersion: read, frozenCents: frozen } = this.account;
    const when = balanceIs(this.account);
    const balance =
      this.entries.length > 0
        ? { walletCents: this.balanceCents, walletVersion: (read ?? 0) + this.entries.length }
        : {};
    const set = { ...balance, ...more.set };
    const orders = this.orderChange();
    const changes = Object.keys({ ...more, ...set, ...orders }).length > 0;
    const refused = (found: Account | undefined) => {
      if (found?.walletVersion !== read || found?.frozenCents !== frozen) return concurrentUpdate();
      const limit = limitOf(found ?? this.account, 'unpaidDomainOrders');
      if (this.unpaidOrders > 0 && (found?.unpaidOrderCount ?? 0) >= limit)
        return limitReached('unpaidDomainOrders', limit);
      return onConditionFailed();
    };
    // What a deleted account gets yet, such as the booking of its refund, is kept as long as the account.
    const { expiresAtEpoch } = this.account;
    const kept = expiresAtEpoch === undefined ? {} : { expiresAtEpoch };
    const account = changes
      ? changeOrInspect(Account, { id }, { ...more, ...orders, set, when: { ...when, ...more.when } }, refused)
      : check(Account, { id }, when, concurrentUpdate);
    return [
      contended(account),
      ...this.numberWrites(),
      ...this.entries.map((entry) => create(WalletTransaction, { ...entry, ...kept }, concurrentUpdate)),
      ...this.others,
    ];
  }

  /** Returns what the audit log says of this transaction, with the balance on both sides. */
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

  /** Throws once the writes were taken: a later movement would be lost silently. */
  private assertOpen(): void {
    if (this.taken) throw new Error('the writes of this wallet were taken already');
  }

  private numberWrites(): Write[] {
    if (this.numbersTaken === 0) return [];
    const year = yearIn(this.now);
    const before = this.lastNumber;
    const last = (before ?? 0) + this.numbersTaken;
    const write =
      before === undefined
        ? create(InvoiceSequence, { year, last }, concurrentUpdate)
        : change(InvoiceSequence, { year }, { set: { last }, when: { last: { is: before } } }, concurrentUpdate);
    return [contended(write)];
  }
}

/** Invoice numbers are taken by the whole platform: contenders are many, so that a transaction may lose often. */
const CONTENTION = { attempts: 60, maxMs: 20_000, onExhausted: serviceBusy };

async function openWallet(deps: Deps, accountId: string): Promise<Wallet> {
  const now = deps.now().toISOString();
  const [account, numbers] = await Promise.all([
    findAccount(deps, accountId),
    deps.table.get(InvoiceSequence, { year: yearIn(now) }),
  ]);
  return new Wallet(account, numbers, now);
}

/**
 * Moves money: reads the wallet, and `read` beside it (one round trip), and has `act` commit (another). When others were
 * faster, all of it happens again, so `act` must do nothing but commit.
 *
 * @param read what else must be known, in the same round trip
 * @param act makes its changes through the wallet and commits `wallet.writes()` with writes of its own
 * @throws what `act` throws; 503 when others were faster each time, for longer than a caller waits
 */
export async function withWallet<R, T>(
  deps: Deps,
  accountId: string,
  read: () => Promise<R>,
  act: (wallet: Wallet, found: R) => Promise<T>,
): Promise<T> {
  return await retryOnConflict(async () => {
    const [wallet, found] = await Promise.all([openWallet(deps, accountId), read()]);
    return await act(wallet, found);
  }, CONTENTION);
}

/** Reads nothing beside the wallet. */
export const readNothing = async (): Promise<undefined> => undefined;
