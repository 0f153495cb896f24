import { AiAccount, AiAudit, AiEntry } from '../../table/entities/ai.ts';
import type { Change, Condition } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change, create, upsert, type Write } from '../../table/writes.ts';
import { concurrentUpdate, contended, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { closesAt, sumAttribute, windowAt } from './windows.ts';

const NO_TOKENS = {
  requestId: null,
  model: null,
  price: null,
  estimated: false,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};

export type NewEntry = AiEntry & { window: number };

/** Returns a new ledger entry in the current window. */
export function newEntry(
  deps: Pick<Deps, 'now' | 'newId'>,
  entry: Omit<AiEntry, 'id' | 'createdAt' | 'window'>,
): NewEntry {
  const now = deps.now();
  return { ...entry, id: deps.newId('aie'), createdAt: now.toISOString(), window: windowAt(now) };
}

/** Returns a new ledger entry for a purchase or an adjustment. */
export const newCreditEntry = (
  deps: Pick<Deps, 'now' | 'newId'>,
  accountId: string,
  type: 'PURCHASE' | 'ADJUSTMENT',
  amountMicroRand: number,
): NewEntry => newEntry(deps, { ...NO_TOKENS, accountId, type, amountMicroRand });

/** Returns the change that adds an entry to the balance and to the sum of its window, and schedules the close of the window. */
export const balanceUpdate = ({ window }: Pick<NewEntry, 'window'>, amountMicroRand: number) => ({
  add: { balanceMicroRand: amountMicroRand, [sumAttribute('ledger', window)]: amountMicroRand },
  setOnce: schedule(AiAccount, closesAt(window)),
  when: { closedWindow: { absentOrBelow: window } satisfies Condition },
});

/**
 * Returns the writes that add an entry and its credits. They create the AI account if it does not exist.
 * @param payment a negative entry that pays the account's debt in the same transaction
 */
export function addCredits(entry: NewEntry, payment?: NewEntry): Write[] {
  const { accountId, amountMicroRand, createdAt } = entry;
  const paid = -(payment?.amountMicroRand ?? 0);
  const added = amountMicroRand - paid;
  const { add, setOnce, when } = balanceUpdate(entry, added);
  const opening = {
    set: { accountId },
    setOnce: { holds: {}, keys: {}, ...setOnce },
    add: { ...add, availableMicroRand: added },
    when,
  };
  const payingDebt = {
    add: { ...add, availableMicroRand: added, debtMicroRand: -paid },
    setOnce,
    when: { ...when, debtMicroRand: { atLeast: paid } },
  };
  return [
    paid > 0
      ? change(AiAccount, { accountId }, payingDebt, concurrentUpdate)
      : upsert(AiAccount, { accountId }, opening, concurrentUpdate),
    upsert(
      AiAudit,
      { accountId },
      {
        set: { accountId },
        setOnce: { upTo: '', sumMicroRand: 0, ...schedule(AiAudit, createdAt) },
      },
    ),
    ...(amountMicroRand === 0 ? [] : [create(AiEntry, entry)]),
    ...(payment ? [create(AiEntry, payment)] : []),
  ];
}

/** Returns the writes that remove available credits. @param onTooFew creates the error if too few are available */
export function takeCredits(entry: NewEntry, onTooFew: () => Error): Write[] {
  const { accountId, amountMicroRand } = entry;
  const { add, setOnce, when } = balanceUpdate(entry, amountMicroRand);
  const update: Change = {
    add: { ...add, availableMicroRand: amountMicroRand },
    setOnce,
    when: { ...when, availableMicroRand: { atLeast: -amountMicroRand } },
  };
  return [change(AiAccount, { accountId }, update, onTooFew), create(AiEntry, entry)];
}

/** Pays an account's debt from its available credits, if they cover it. @returns true if the debt was paid or has changed since the read */
export async function payDebt(deps: Deps, account: AiAccount | undefined): Promise<boolean> {
  const { accountId, debtMicroRand = 0, availableMicroRand = 0 } = account ?? {};
  if (!accountId || debtMicroRand === 0 || availableMicroRand < debtMicroRand) return false;
  const payment = newCreditEntry(deps, accountId, 'ADJUSTMENT', -debtMicroRand);
  const { add, setOnce, when } = balanceUpdate(payment, -debtMicroRand);
  const update: Change = {
    add: { ...add, availableMicroRand: -debtMicroRand },
    setOnce,
    remove: ['debtMicroRand'],
    when: { ...when, debtMicroRand: { is: debtMicroRand }, availableMicroRand: { atLeast: debtMicroRand } },
  };
  const pay = change(AiAccount, { accountId }, update, concurrentUpdate);
  await ignoreConflict(deps.table.transact([contended(pay), create(AiEntry, payment)]));
  return true;
}
