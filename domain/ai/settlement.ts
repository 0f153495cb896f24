import { AiAccount, AiCall, AiEntry } from '../../table/entities/ai.ts';
import { change, create, toStoredItem, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { releaseBudget } from './budget-holds.ts';
import { changeEndingHold, endHold, type Hold } from './credits.ts';
import { type NewEntry, newEntry } from './entries.ts';

/** Attempts to write a call's entry. No attempt begins more than `maxMs` after the first. */
const ENTRY_ATTEMPTS = { count: 5, maxMs: 45_000 };

/** The hold has expired. Its credits are released, and nothing can be charged to it. */
export class HoldExpired extends Error {}

/** Usage of a call, for the ledger. */
export type ChargedUsage = Pick<
  AiEntry,
  'requestId' | 'inputTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'outputTokens' | 'price' | 'estimated'
> & { model: string; keyId: string };

export interface Settlement {
  /** Amount charged, in micro-rand. */
  charged: number;
  /** Cost that was not charged, in micro-rand. */
  writtenOff: number;
  /** True if the call is now in the request log. */
  recorded: boolean;
  /** Errors of failed writes after the entry. The close of the window repairs the account. */
  failures: unknown[];
}

/**
 * Charges a call and releases the unused part of its hold, once. The ledger entry is authoritative: once it is written, the balance
 * will include it. A cost beyond the hold is charged as far as credits are available, and the account owes the remainder.
 * Throws if the entry could not be written: then the call is free, and its hold is released later.
 * @param call the call's record for the request log, which is written together with the entry
 */
export async function settle(
  deps: Deps,
  held: Hold,
  cost: number,
  usage: ChargedUsage,
  call?: AiCall,
): Promise<Settlement> {
  const { accountId } = held;
  const entry = newEntry(deps, {
    ...usage,
    accountId,
    type: 'CALL',
    amountMicroRand: -Math.min(cost, held.granted),
    ...(held.budget ? { keyRestAtClose: true } : { keySumAtClose: true }),
  });
  if (entry.createdAt >= held.expiresAt) throw new HoldExpired('the call ended after its hold');
  const isWithin = cost <= held.granted;
  const charged = await retryWithBackoff(deps, () =>
    isWithin ? writeEntry(deps, entry, call) : settleExcess(deps, held, cost, entry),
  );
  // The budget counts what the ledger has. If the entry could not be written, the hold in the budget ends like that on the account.
  const results = await Promise.allSettled([
    isWithin && endHold(deps, held, charged, entry),
    held.budget && releaseBudget(deps, held.budget, { window: entry.window, chargedMicroRand: charged }),
  ]);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  return { charged, writtenOff: cost - charged, recorded: isWithin && call !== undefined, failures };
}

/** Retries idempotent work, for less time than an entry has until its window closes. */
async function retryWithBackoff<T>(deps: Pick<Deps, 'now'>, work: () => Promise<T>): Promise<T> {
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
 * Writes a call's entry and its request log record in one request. The write is idempotent, because the entry's id is unique.
 * @returns the amount charged
 */
async function writeEntry(deps: Pick<Deps, 'table'>, entry: NewEntry, call?: AiCall): Promise<number> {
  const charged = -entry.amountMicroRand;
  const records = call ? [toStoredItem(AiCall, { ...call, amountMicroRand: charged })] : [];
  await deps.table.putAll([toStoredItem(AiEntry, entry), ...records]);
  return charged;
}

class AlreadyRecorded extends Error {}

/**
 * Charges a call that cost more than it was granted, in one transaction with its entry, because the additional credits must still be
 * available. This is rare: a provider counted more tokens than it documents. @returns the amount charged
 */
async function settleExcess(deps: Deps, held: Hold, cost: number, entry: NewEntry): Promise<number> {
  const { accountId } = held;
  const excess = cost - held.granted;
  const account = await deps.table.get(AiAccount, { accountId });
  const extra = Math.min(excess, Math.max(0, account?.availableMicroRand ?? 0));
  const charge = async (charged: number, minAvailable: number): Promise<number> => {
    const { accountId: _, ...update } = changeEndingHold(held, charged, entry);
    const writes: Write[] = [
      create(AiEntry, { ...entry, amountMicroRand: -charged }, () => new AlreadyRecorded()),
      change(
        AiAccount,
        { accountId },
        {
          ...update,
          add: { ...update.add, ...(cost > charged ? { debtMicroRand: cost - charged } : {}) },
          when: { ...update.when, ...(minAvailable > 0 ? { availableMicroRand: { atLeast: minAvailable } } : {}) },
        },
        concurrentUpdate,
      ),
    ];
    await deps.table.transact(writes);
    return charged;
  };
  try {
    // Another call may have held the additional credits since the read.
    const charged = extra > 0 ? await ignoreConflict(charge(held.granted + extra, extra)) : undefined;
    return charged ?? (await charge(held.granted, 0));
  } catch (error) {
    if (!(error instanceof AlreadyRecorded)) throw error;
    const recorded = await deps.table.get(AiEntry, entry);
    return -(recorded?.amountMicroRand ?? 0);
  }
}
