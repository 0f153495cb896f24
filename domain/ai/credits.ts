import { randomUUID } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { AiAccount, AiAudit, AiEntry } from '../../table/entities/ai.ts';
import { splitKey } from '../../table/keys.ts';
import { attempt, type Change, change, create, upsert, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { overtaken, unlessOvertaken } from '../overtaken.ts';

/**
 * AI credits in whole micro-rand. Always true:
 * - the balance is the sum of the ledger;
 * - what is available is the balance less the holds of running calls.
 *
 * A hold is one conditional write that does not know what is left: it takes the most that the call can cost, and what is
 * available may so fall below zero. Then the call has only what was there before (`granted`), and nobody else gets a
 * hold until it is given back. What calls are granted together is never more than the balance, so it never falls below zero.
 */

/** Below this much nothing is sold on credits (specification, Limits 7). */
export const LEAST_BALANCE = 500_000;
/** A hold outlives every call (14 minutes at most), in milliseconds. */
const HOLD_TIME = 16 * 60_000;

export interface Hold {
  accountId: string;
  id: string;
  /** What was taken from the available. */
  microRand: number;
  /** What the call may cost. */
  granted: number;
}

/** There was no hold to be had; the account as it is says why. */
export class NoHold extends Error {
  readonly account: AiAccount | undefined;
  constructor(account: AiAccount | undefined) {
    super('no hold');
    this.account = account;
  }
}

/** Sets aside what a call may cost. Throws {@link NoHold} where too little is available, or the caller has a key of their own. */
export async function hold(deps: Deps, accountId: string, provider: string, microRand: number): Promise<Hold> {
  const id = randomUUID();
  const expiresAt = new Date(deps.now().getTime() + HOLD_TIME).toISOString();
  const what: Change = {
    set: { [`holds.${id}`]: { microRand, expiresAt } },
    setOnce: { duePk: 'AI_ACCOUNT', dueAt: expiresAt },
    add: { availableMicroRand: -microRand },
    when: {
      availableMicroRand: { atLeast: LEAST_BALANCE },
      [`keys.${provider}`]: 'absent',
      // The client repeats a write whose answer was lost.
      [`holds.${id}`]: 'absent',
    },
  };
  const write = attempt(AiAccount, { accountId }, what, (found) => new NoHold(found));
  // Of the account no more than what changed: it has the holds of all running calls.
  const changed = await deps.table.touch(write).catch((error: unknown) => {
    if (error instanceof NoHold && error.account?.holds[id]) return error.account;
    throw error;
  });
  const before = Number(changed.availableMicroRand) + microRand;
  return { accountId, id, microRand, granted: Math.min(microRand, before) };
}

/** Why there was no hold, for the caller: 402 when the credits are used up, 429 when only running calls stand in the way. */
export function refusalOf({ account }: NoHold): ApiError {
  if (!account || account.balanceMicroRand < LEAST_BALANCE) return new ApiError('insufficient_credits');
  const message = 'Your running calls hold all of your AI credits; what they do not use comes back when they end.';
  return new ApiError('rate_limited', message, { retryAfter: 5 });
}

/** The hold is gone: it was settled or released before. */
export class HoldGone extends Error {}

const giveBack = ({ accountId, id, microRand }: Hold, charge: number, left?: number): Write =>
  change(
    AiAccount,
    { accountId },
    {
      add: { availableMicroRand: microRand - charge, balanceMicroRand: -charge },
      remove: [`holds.${id}`],
      when: { [`holds.${id}`]: 'present', ...(left ? { availableMicroRand: { atLeast: left } } : {}) },
    },
    () => new HoldGone('the hold is gone'),
  );

/** Gives a hold back unused. */
export async function release(deps: Deps, held: Hold): Promise<void> {
  await deps.table.touch(giveBack(held, 0));
}

/** What a call used, for the ledger. */
export type Used = Pick<
  AiEntry,
  'requestId' | 'model' | 'inputTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'outputTokens' | 'price' | 'estimated'
>;

/**
 * Charges a call and gives the rest of its hold back, once. A cost beyond the hold is charged as far as credits are
 * available.
 * @returns what was charged and what had to be written off, in micro-rand
 */
export async function settle(
  deps: Deps,
  held: Hold,
  cost: number,
  used: Used,
): Promise<{ charged: number; writtenOff: number }> {
  const { accountId } = held;
  const excess = Math.max(0, cost - held.granted);
  const account = excess > 0 ? await deps.table.get(AiAccount, { accountId }) : undefined;
  const extra = Math.min(excess, Math.max(0, account?.availableMicroRand ?? 0));
  const within = cost - excess;
  const charge = async (charged: number, left: number) => {
    const entry = { ...used, id: deps.newId('aie'), accountId, type: 'CALL' as const, amountMicroRand: -charged };
    const createdAt = deps.now().toISOString();
    await deps.table.transact([giveBack(held, charged, left), create(AiEntry, { ...entry, createdAt })]);
    return { charged, writtenOff: cost - charged };
  };
  if (extra === 0) return await charge(within, 0);
  return await charge(within + extra, extra).catch((error: unknown) => {
    // What was available is no longer: another call holds it.
    if (error instanceof HoldGone) return charge(within, 0);
    throw error;
  });
}

const NO_TOKENS = {
  ...{ requestId: null, model: null, price: null, estimated: false },
  ...{ inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
};

/** An entry of the ledger that is no call. */
export function creditEntry(
  deps: Deps,
  accountId: string,
  type: 'PURCHASE' | 'ADJUSTMENT',
  amountMicroRand: number,
): AiEntry {
  const createdAt = deps.now().toISOString();
  return { ...NO_TOKENS, id: deps.newId('aie'), accountId, type, amountMicroRand, createdAt };
}

/** The writes that add what an entry says; the account's first ones open its books. */
export function addCredits(entry: AiEntry): Write[] {
  const { accountId, amountMicroRand, createdAt } = entry;
  return [
    upsert(
      AiAccount,
      { accountId },
      {
        set: { accountId, entity: AiAccount.type },
        setOnce: { holds: {}, keys: {} },
        add: { balanceMicroRand: amountMicroRand, availableMicroRand: amountMicroRand },
      },
    ),
    upsert(
      AiAudit,
      { accountId },
      {
        set: { accountId, entity: AiAudit.type },
        setOnce: { upTo: '', sumMicroRand: 0, checkAt: createdAt, duePk: 'AI_AUDIT', dueAt: createdAt },
      },
    ),
    ...(amountMicroRand === 0 ? [] : [create(AiEntry, entry)]),
  ];
}

/** How many accounts one run looks at. */
const BATCH = 100;

/**
 * Gives back the holds of calls that died: those that have expired.
 * @returns how many
 */
export async function releaseExpiredHolds(deps: Deps): Promise<number> {
  let released = 0;
  for (const { pk } of await deps.table.due('AI_ACCOUNT', deps.now().toISOString(), BATCH)) {
    const [, accountId = ''] = splitKey(pk);
    released += await releaseExpiredHoldsOf(deps, accountId);
  }
  return released;
}

/** The same for one account. */
export async function releaseExpiredHoldsOf(deps: Deps, accountId: string): Promise<number> {
  const now = deps.now().toISOString();
  const account = await deps.table.get(AiAccount, { accountId });
  if (!account) return 0;
  let released = 0;
  for (const [id, { microRand, expiresAt }] of Object.entries(account.holds)) {
    if (expiresAt > now) continue;
    try {
      await release(deps, { accountId, id, microRand, granted: 0 });
      released += 1;
    } catch (error) {
      if (!(error instanceof HoldGone)) throw error;
    }
  }
  await lookAgain(deps, account, now);
  return released;
}

/** When the next of an account's holds expires; no longer on the list where there is none. */
async function lookAgain(deps: Deps, before: AiAccount, now: string): Promise<void> {
  const { accountId } = before;
  const left = Object.values(before.holds).filter(({ expiresAt }) => expiresAt > now);
  const next = left.map(({ expiresAt }) => expiresAt).sort()[0];
  const balance = before.balanceMicroRand;
  // All is available: no hold has come since we looked. Otherwise it stays on the list and the next run looks again.
  const idle = { balanceMicroRand: { is: balance }, availableMicroRand: { is: balance } };
  const what: Change = next ? { set: { dueAt: next } } : { remove: ['duePk', 'dueAt'], when: idle };
  await unlessOvertaken(deps.table.write(AiAccount, change(AiAccount, { accountId }, what, overtaken)));
}
