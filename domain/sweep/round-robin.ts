import { textOf } from '../../table/attributes.ts';
import type { Due } from '../../table/table.ts';
import { inChunks } from '../chunks.ts';
import type { Deps } from '../deps.ts';

/** Items that are read concurrently to find their accounts. */
const CONCURRENCY = 100;

/** The order in which a sweep processes the items of a due queue: accounts take turns. */
export class AccountRoundRobin {
  private readonly accounts = new Map<Due, string>();

  /** Reads the accounts of items whose keys do not name them. An item that cannot be read gets no account: processing it reports the error. */
  async readAccounts({ table }: Pick<Deps, 'table'>, found: readonly Due[]): Promise<void> {
    const unread = found.filter((due) => !this.accounts.has(due));
    await inChunks(unread, CONCURRENCY, async (due) => {
      const item = await table.getByKey(due).catch(() => undefined);
      this.accounts.set(due, textOf(item?.accountId));
    });
  }

  /** Returns true if one account has more than half of the items. Items of other accounts may then be in pages that are not read yet. */
  isMostlyOneAccount(found: readonly Due[]): boolean {
    const counts = new Map<string, number>();
    for (const due of found) counts.set(this.accountOf(due), (counts.get(this.accountOf(due)) ?? 0) + 1);
    counts.delete('');
    return Math.max(0, ...counts.values()) > found.length / 2;
  }

  /** Orders items so that accounts take turns, each with its oldest item first: an account with many items does not delay the others. */
  order(found: readonly Due[]): Due[] {
    return roundRobin(found, (due) => this.accountOf(due));
  }

  /** Returns the account that was read or that the key names; an empty text for an item without one. */
  private accountOf(due: Due): string {
    return this.accounts.get(due) ?? /^ACCOUNT#([^#]*)/.exec(due.pk)?.[1] ?? '';
  }
}

/**
 * Orders items so that accounts take turns; each account's items keep their order.
 * @param recent accounts of the latest turns, one entry per turn: an account that had more of them comes later
 */
export function roundRobin<T>(
  items: readonly T[],
  accountOf: (item: T) => string,
  recent: readonly string[] = [],
): T[] {
  const turns = new Map<string, number>();
  const nextTurn = (account: string): number => {
    const turn = turns.get(account) ?? 0;
    turns.set(account, turn + 1);
    return turn;
  };
  for (const account of recent) nextTurn(account);
  const withTurns = items.map((item) => ({ item, turn: nextTurn(accountOf(item)) }));
  return withTurns.sort((a, b) => a.turn - b.turn).map(({ item }) => item);
}
