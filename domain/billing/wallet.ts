import { ApiError } from '../../contract/errors.ts';
import { InvoiceNumbers, WalletTransaction } from '../../table/entities/billing.ts';
import { Account } from '../../table/entities.ts';
import { attempt, type Change, change, check, create, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/**
 * Money in whole cents. Always true:
 * - the balance is the sum of the ledger, and each entry says the balance after it;
 * - the balance is never below zero;
 * - invoice numbers have no gaps over the whole platform.
 *
 * Whoever moves money reads the balance and the last invoice number, and writes all that follows in one transaction that
 * holds only if both are still so. Who comes too late begins again with what is there now, unseen by the caller
 * ({@link withWallet}).
 */

/** Somebody else changed the wallet, the last number or an invoice since they were read. Never seen by a caller. */
export class Stale extends Error {}
export const stale = (): Error => new Stale('changed since it was read');

const contended = (write: Write): Write => ({ ...write, collided: stale });

const yearOf = (now: string) => now.slice(0, 4);

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

  constructor(account: Account, numbers: InvoiceNumbers | undefined, now: string) {
    this.account = account;
    this.now = now;
    this.balanceCents = account.walletCents;
    this.lastNumber = numbers?.last;
  }

  /** Changes the balance by a signed amount. Throws 402 `insufficient_funds` rather than go below zero. */
  move(type: WalletTransaction['type'], amountCents: number, description: string): void {
    this.assertOpen();
    if (this.balanceCents + amountCents < 0) throw new ApiError('insufficient_funds');
    this.balanceCents += amountCents;
    const serial = (this.account.walletSerial ?? 0) + this.entries.length + 1;
    const entry = { serial, type, amountCents, balanceAfterCents: this.balanceCents, description };
    this.entries.push({ ...entry, accountId: this.account.id, createdAt: this.now });
  }

  /** The next invoice number. */
  takeNumber(): string {
    this.assertOpen();
    this.numbersTaken += 1;
    const number = (this.lastNumber ?? 0) + this.numbersTaken;
    return `INV-${yearOf(this.now)}-${String(number).padStart(6, '0')}`;
  }

  /** Writes that go into the same transaction. */
  add(...writes: Write[]): void {
    this.assertOpen();
    this.others.push(...writes);
  }

  /**
   * Everything, for one commit.
   * @param more what else changes of the account: one transaction takes one write of an item. `lost` is what its `when` means
   */
  writes(more: Change = {}, lost: () => Error = stale): Write[] {
    this.assertOpen();
    this.taken = true;
    const { id, walletSerial: read } = this.account;
    const when = { walletSerial: read === undefined ? ('absent' as const) : { is: read } };
    const balance =
      this.entries.length > 0
        ? { walletCents: this.balanceCents, walletSerial: (read ?? 0) + this.entries.length }
        : {};
    const set = { ...balance, ...more.set };
    const changes = Object.keys({ ...more, ...set }).length > 0;
    const account = changes
      ? attempt(Account, { id }, { ...more, set, when: { ...when, ...more.when } }, (found) =>
          found?.walletSerial === read ? lost() : stale(),
        )
      : check(Account, { id }, when, stale);
    return [
      contended(account),
      ...this.numberWrites(),
      ...this.entries.map((entry) => create(WalletTransaction, entry, stale)),
      ...this.others,
    ];
  }

  /** What is moved after the writes were taken would be lost without a word. */
  private assertOpen(): void {
    if (this.taken) throw new Error('the writes of this wallet were taken already');
  }

  private numberWrites(): Write[] {
    if (this.numbersTaken === 0) return [];
    const year = yearOf(this.now);
    const before = this.lastNumber;
    const last = (before ?? 0) + this.numbersTaken;
    const write =
      before === undefined
        ? create(InvoiceNumbers, { year, last }, stale)
        : change(InvoiceNumbers, { year }, { set: { last }, when: { last: { is: before } } }, stale);
    return [contended(write)];
  }
}

/** How often a transaction is begun again that others came before, and for how long, in milliseconds. */
const ATTEMPTS = 60;
const PATIENCE = 20_000;
/**
 * Waits a random while. The more attempts were lost, the more others there are, and the wider they spread: up to 32 times
 * what an attempt takes, so that a slow table is not asked the more.
 */
const stepAside = (attempt: number, took: number) =>
  new Promise((done) => setTimeout(done, Math.random() * Math.max(took, 4) * 2 ** Math.min(attempt, 5)));

async function openWallet(deps: Deps, accountId: string): Promise<Wallet> {
  const now = deps.now().toISOString();
  const [account, numbers] = await Promise.all([
    deps.table.get(Account, { id: accountId }),
    deps.table.get(InvoiceNumbers, { year: yearOf(now) }),
  ]);
  if (!account) throw new ApiError('not_found');
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
  const began = performance.now();
  for (let count = 1; ; count += 1) {
    const tried = performance.now();
    const [wallet, found] = await Promise.all([openWallet(deps, accountId), read()]);
    try {
      return await act(wallet, found);
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      const now = performance.now();
      if (count === ATTEMPTS || now - began > PATIENCE)
        throw new ApiError('server_error', 'The service is busy. It is safe to retry.', { status: 503 });
      await stepAside(count, now - tried);
    }
  }
}

/** For those who need nothing beside the wallet. */
export const nothing = async (): Promise<undefined> => undefined;
