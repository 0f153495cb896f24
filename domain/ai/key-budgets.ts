import { NEAR_BUDGET } from '../../contract/accounts/api-keys.ts';
import { ApiError } from '../../contract/errors.ts';
import { AiKeyCalls } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { parseCents } from '../billing/money.ts';
import { ConcurrentUpdateError, concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../webhooks/events.ts';
import { CENT_MICRO_RAND, microRandToRand } from './prices.ts';

/**
 * Monthly budgets of API keys for AI credits (docs/decisions/0059-figures-and-budgets.md). The budget comes with the key's
 * credential, which authenticates the call; what the key has spent is beside its open calls, in the item that each call
 * writes anyway. `spent_<month>` has the charges of a calendar month in UTC and the holds of running calls, so that one
 * condition decides; `charged_<month>` has the charges alone.
 */

/** Converts an amount of the contract to micro-rand. */
export const toMicroRand = (rand: string): number => parseCents(rand) * CENT_MICRO_RAND;

/** Returns the calendar month of a time in UTC, `2026-11`. */
export const monthAt = (time: Date | number): string => new Date(time).toISOString().slice(0, 7);

type Sum = 'spent' | 'charged' | 'alerted';
/** Returns the attribute that has a sum of a month; `alerted` is the budget for which the alert was sent. */
export const monthAttribute = (sum: Sum, month: string): string => `${sum}_${month.replace('-', '')}`;

/** Attributes of the month before the last one, which nothing reads any more. */
export function staleMonthAttributes(now: Date): string[] {
  const month = monthAt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1));
  return (['spent', 'charged', 'alerted'] as const).map((sum) => monthAttribute(sum, month));
}

/** Returns what a key was charged in the month of a time, in micro-rand. */
export const chargedIn = (item: AiKeyCalls | undefined, now: Date): number =>
  Number(item?.[monthAttribute('charged', monthAt(now))] ?? 0);

/** Returns true where so much of a budget is spent that its owner should know. */
const isNearBudget = (chargedMicroRand: number, budgetMicroRand: number): boolean =>
  chargedMicroRand >= budgetMicroRand * NEAR_BUDGET;

/** The error for a call that finds the budget of its key used up. */
export const budgetUsedUp = (budgetMicroRand: number, now: Date): ApiError =>
  new ApiError(
    'insufficient_credits',
    `This API key has spent its AI budget of R${microRandToRand(budgetMicroRand)} for ${monthAt(now)} (UTC). Raise it in the dashboard under Developers, or wait for the next month.`,
  );

/** A key's budget in the month of a call. */
interface KeyMonth {
  accountId: string;
  keyId: string;
  month: string;
  budgetMicroRand: number;
}

/**
 * Announces that a key has spent most of its budget, once for each budget and month. A call that finds the announcement
 * missing, because the process of an earlier one died, makes it.
 *
 * @param changed attributes of the key's item after the charge
 */
export async function alertNearBudget(
  deps: Pick<Deps, 'table' | 'now'>,
  { accountId, keyId, month, budgetMicroRand }: KeyMonth,
  changed: Record<string, unknown>,
): Promise<void> {
  const charged = Number(changed[monthAttribute('charged', month)]);
  const alerted = Number(changed[monthAttribute('alerted', month)]);
  if (!isNearBudget(charged, budgetMicroRand) || alerted >= budgetMicroRand) return;
  const attribute = monthAttribute('alerted', month);
  const mark = { set: { [attribute]: budgetMicroRand }, when: { [attribute]: { is: alerted } } };
  const [budget, spent] = [microRandToRand(budgetMicroRand), microRandToRand(charged)];
  try {
    await deps.table.transact([
      change(AiKeyCalls, { accountId, keyId }, mark, concurrentUpdate),
      emit(deps, accountId, 'ai.budget_near', { keyId, month, budget, spent }),
    ]);
  } catch (error) {
    // Another call of the key has announced it.
    if (!(error instanceof ConcurrentUpdateError)) throw error;
  }
}
