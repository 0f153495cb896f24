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

/** Returns an entry of now, in its window. */
export function newEntry(
  deps: Pick<Deps, 'now' | 'newId'>,
  entry: Omit<AiEntry, 'id' | 'createdAt' | 'window'>,
): NewEntry {
  const now = deps.now();
  return { ...entry, id: deps.newId('aie'), createdAt: now.toISOString(), window: windowAt(now) };
}

/** An entry of the ledger that is no call. */
export const newCreditEntry = (
  deps: Pick<Deps, 'now' | 'newId'>,
  accountId: string,
  type: 'PURCHASE' | 'ADJUSTMENT',
  amountMicroRand: number,
): NewEntry => newEntry(deps, { ...NO_TOKENS, accountId, type, amountMicroRand });

/** Returns what an entry adds to the balance and to the sum of its window, beside which the sweep finds the account. */
export const entered = ({ window }: Pick<NewEntry, 'window'>, amountMicroRand: number) => ({
  add: { balanceMicroRand: amountMicroRand, [sumAttribute('ledger', window)]: amountMicroRand },
  setOnce: schedule(AiAccount, closesAt(window)),
  when: { closedWindow: { absentOrBelow: window } satisfies Condition },
});

/**
 * The writes that add what an entry says; the account's first ones open its books.
 * @param payment an entry of less than zero that pays what the account owes, in the same transaction
 */
export function addCredits(entry: NewEntry, payment?: NewEntry): Write[] {
  const { accountId, amountMicroRand, createdAt } = entry;
  const paid = -(payment?.amountMicroRand ?? 0);
  const added = amountMicroRand - paid;
  const { add, setOnce, when } = entered(entry, added);
  const opening = {
    set: { accountId },
    setOnce: { holds: {}, keys: {}, ...setOnce },
    add: { ...add, availableMicroRand: added },
    when,
  };
  const settling = {
    add: { ...add, availableMicroRand: added, debtMicroRand: -paid },
    setOnce,
    when: { ...when, debtMicroRand: { atLeast: paid } },
  };
  return [
    paid > 0
      ? change(AiAccount, { accountId }, settling, concurrentUpdate)
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

/** The writes that take credits which are available away. @param onTooFew makes the error where less is available */
export function takeCredits(entry: NewEntry, onTooFew: () => Error): Write[] {
  const { accountId, amountMicroRand } = entry;
  const { add, setOnce, when } = entered(entry, amountMicroRand);
  const what: Change = {
    add: { ...add, availableMicroRand: amountMicroRand },
    setOnce,
    when: { ...when, availableMicroRand: { atLeast: -amountMicroRand } },
  };
  return [change(AiAccount, { accountId }, what, onTooFew), create(AiEntry, entry)];
}

/** Pays what an account owes from its available credits, if they cover it. @returns true if it was paid, or changed meanwhile */
export async function payDebt(deps: Deps, account: AiAccount | undefined): Promise<boolean> {
  const { accountId, debtMicroRand = 0, availableMicroRand = 0 } = account ?? {};
  if (!accountId || debtMicroRand === 0 || availableMicroRand < debtMicroRand) return false;
  const payment = newCreditEntry(deps, accountId, 'ADJUSTMENT', -debtMicroRand);
  const { add, setOnce, when } = entered(payment, -debtMicroRand);
  const what: Change = {
    add: { ...add, availableMicroRand: -debtMicroRand },
    setOnce,
    remove: ['debtMicroRand'],
    when: { ...when, debtMicroRand: { is: debtMicroRand }, availableMicroRand: { atLeast: debtMicroRand } },
  };
  const pay = change(AiAccount, { accountId }, what, concurrentUpdate);
  await ignoreConflict(deps.table.transact([contended(pay), create(AiEntry, payment)]));
  return true;
}
