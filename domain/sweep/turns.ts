import { textOf } from '../../table/attributes.ts';
import type { Due } from '../../table/table.ts';
import { inChunks } from '../chunks.ts';
import type { Deps } from '../deps.ts';

/** Items whose accounts are read at once. */
const CONCURRENCY = 100;

/** The order in which the items of a due queue are acted on: accounts take turns. */
export class Turns {
  private readonly accounts = new Map<Due, string>();

  /** Reads the accounts of items whose keys do not name them. One that cannot be read has none: acting on it reports why. */
  async readAccounts({ table }: Pick<Deps, 'table'>, found: readonly Due[]): Promise<void> {
    const unread = found.filter((due) => !this.accounts.has(due));
    await inChunks(unread, CONCURRENCY, async (due) => {
      const item = await table.getByKey(due).catch(() => undefined);
      this.accounts.set(due, textOf(item?.accountId));
    });
  }

  /** True if one account has most of the items: those of others are behind them, in pages that are not read yet. */
  isMostlyOneAccount(found: readonly Due[]): boolean {
    const counts = new Map<string, number>();
    for (const due of found) counts.set(this.accountOf(due), (counts.get(this.accountOf(due)) ?? 0) + 1);
    counts.delete('');
    return Math.max(0, ...counts.values()) > found.length / 2;
  }

  /** Orders items so that accounts take turns, each with its oldest first: one with many does not keep the others waiting. */
  order(found: readonly Due[]): Due[] {
    return inTurns(found, (due) => this.accountOf(due));
  }

  /** The account that was read, or that the key names; the same for all items without one. */
  private accountOf(due: Due): string {
    return this.accounts.get(due) ?? /^ACCOUNT#([^#]*)/.exec(due.pk)?.[1] ?? '';
  }
}

/**
 * Orders items so that accounts take turns, each with its items in the given order.
 * @param recent accounts of the last turns: one that had more of them waits longer
 */
export function inTurns<T>(items: readonly T[], accountOf: (item: T) => string, recent: readonly string[] = []): T[] {
  const turns = new Map<string, number>();
  const nextTurn = (account: string): number => {
    const turn = turns.get(account) ?? 0;
    turns.set(account, turn + 1);
    return turn;
  };
  for (const account of recent) nextTurn(account);
  const placed = items.map((item) => ({ item, turn: nextTurn(accountOf(item)) }));
  return placed.sort((a, b) => a.turn - b.turn).map(({ item }) => item);
}
