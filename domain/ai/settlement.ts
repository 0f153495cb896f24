import { AiAccount, AiCall, AiEntry } from '../../table/entities/ai.ts';
import { change, create, toStoredItem, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { endHold, giveBack, type Hold } from './credits.ts';
import { type NewEntry, newEntry } from './entries.ts';
import { leaveKeyPlace } from './key-calls.ts';

/** Attempts to write a call's entry; none begins later than this after the first, in milliseconds. */
const ENTRY_ATTEMPTS = { count: 5, maxMs: 45_000 };

/** The hold has expired: its credits come back, and nothing can be charged to it. */
export class HoldExpired extends Error {}

/** Usage of a call, for the ledger. */
export type Used = Pick<
  AiEntry,
  'requestId' | 'inputTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'outputTokens' | 'price' | 'estimated'
> & { model: string; keyId: string };

export interface Settlement {
  /** Micro-rand, as are those written off. */
  charged: number;
  writtenOff: number;
  /** True where the call is in the request log now. */
  recorded: boolean;
  /** Writes after the entry that failed: those of the account are made up for when its windows close. */
  failures: unknown[];
}

/**
 * Charges a call and gives the rest of its hold back, once. The entry in the ledger decides: once it is written, the balance
 * follows. A cost beyond the hold is charged as far as credits are available; the rest is owed.
 * Throws where the entry could not be written: then the call is free, and the hold comes back.
 * @param call the call for the request log, which is written with its entry
 */
export async function settle(deps: Deps, held: Hold, cost: number, used: Used, call?: AiCall): Promise<Settlement> {
  const { accountId } = held;
  const entry = newEntry(deps, { ...used, accountId, type: 'CALL', amountMicroRand: -Math.min(cost, held.granted) });
  if (entry.createdAt >= held.expiresAt) throw new HoldExpired('the call ended after its hold');
  const isWithin = cost <= held.granted;
  const leave = (charged: number) => Promise.allSettled([leaveKeyPlace(deps, held.place, charged)]);
  // What an excess charges is known once it is settled. A budget counts a charge whose entry could not be written.
  const leaving = isWithin ? leave(cost) : undefined;
  const charged = await persistently(deps, () =>
    isWithin ? writeEntry(deps, entry, call) : settleExcess(deps, held, cost, entry),
  );
  const applied = await Promise.allSettled(isWithin ? [giveBack(deps, held, charged, entry)] : []);
  const failures = [...applied, ...(await (leaving ?? leave(charged)))].flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  return { charged, writtenOff: cost - charged, recorded: isWithin && call !== undefined, failures };
}

/** Repeats work that may be repeated, for less time than an entry has until its window closes. */
async function persistently<T>(deps: Pick<Deps, 'now'>, work: () => Promise<T>): Promise<T> {
  const until = deps.now().getTime() + ENTRY_ATTEMPTS.maxMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ENTRY_ATTEMPTS.count || deps.now().getTime() > until) throw error;
      await new Promise((done) => setTimeout(done, 10 * 2 ** attempt * Math.random()));
    }
  }
}

/**
 * Writes a call's entry and its line of the request log in one request. To repeat it changes nothing: the entry has an id that
 * no other has. @returns what it charges
 */
async function writeEntry(deps: Pick<Deps, 'table'>, entry: NewEntry, call?: AiCall): Promise<number> {
  const charged = -entry.amountMicroRand;
  const line = call ? [toStoredItem(AiCall, { ...call, amountMicroRand: charged })] : [];
  await deps.table.putAll([toStoredItem(AiEntry, entry), ...line]);
  return charged;
}

class AlreadyRecorded extends Error {}

/**
 * Charges a call that cost more than it was granted, in one transaction with its entry: what is available beyond the hold has
 * to be so still. Rare: a provider counted more than it documents. @returns what was charged
 */
async function settleExcess(deps: Deps, held: Hold, cost: number, entry: NewEntry): Promise<number> {
  const { accountId } = held;
  const excess = cost - held.granted;
  const account = await deps.table.get(AiAccount, { accountId });
  const extra = Math.min(excess, Math.max(0, account?.availableMicroRand ?? 0));
  const charge = async (charged: number, left: number): Promise<number> => {
    const { accountId: _, ...what } = endHold(held, charged, entry);
    const writes: Write[] = [
      create(AiEntry, { ...entry, amountMicroRand: -charged }, () => new AlreadyRecorded()),
      change(
        AiAccount,
        { accountId },
        {
          ...what,
          add: { ...what.add, ...(cost > charged ? { debtMicroRand: cost - charged } : {}) },
          when: { ...what.when, ...(left > 0 ? { availableMicroRand: { atLeast: left } } : {}) },
        },
        concurrentUpdate,
      ),
    ];
    await deps.table.transact(writes);
    return charged;
  };
  try {
    // What was available may be so no longer: another call holds it.
    const charged = extra > 0 ? await ignoreConflict(charge(held.granted + extra, extra)) : undefined;
    return charged ?? (await charge(held.granted, 0));
  } catch (error) {
    if (!(error instanceof AlreadyRecorded)) throw error;
    const recorded = await deps.table.get(AiEntry, entry);
    return -(recorded?.amountMicroRand ?? 0);
  }
}
