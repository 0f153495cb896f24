import { NEAR_BUDGET } from '../../contract/accounts/api-keys.ts';
import { ApiError } from '../../contract/errors.ts';
import { AiKeySpending } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { parseCents } from '../billing/money.ts';
import { ConcurrentUpdateError, concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { monthOf } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { CENT_MICRO_RAND, microRandToRand } from './prices.ts';

/**
 * Monthly budgets of API keys for AI credits (docs/decisions/0059-figures-and-budgets.md). The budget is stored with the key's
 * credential, which authenticates the call. The spending is stored in an item of the key: calls of a key with a budget add their
 * charge (budget-holds.ts), and the close of a window adds all other charges (key-spending.ts). `spent_<month>` is the
 * sum of the charges of a calendar month in UTC and the holds of running calls, so that one condition enforces the budget.
 * `charged_<month>` is the sum of the charges only.
 */

/** Days for which a key's item is kept after its last call: longer than the month of a budget. */
export const KEPT_DAYS = 40;

/** Converts an amount in rand, as the API represents it, to micro-rand. */
export const toMicroRand = (rand: string): number => parseCents(rand) * CENT_MICRO_RAND;

type Sum = 'spent' | 'charged' | 'alerted';
/** Returns the attribute that stores a sum of a month; `alerted` stores the budget for which the alert was sent. */
export const monthAttribute = (sum: Sum, month: string): string => `${sum}_${month.replace('-', '')}`;

/** Returns the attribute that stores the charges of a window that calls added, until the window is closed. */
export const addedAttribute = (window: number): string => `added_${window}`;

/** Returns the month that is a number of months before the current one. */
const monthBefore = (now: Date, months: number): string =>
  monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));

export const previousMonthAt = (now: Date): string => monthBefore(now, 1);

/** Returns the attributes of the month before last, which nothing reads any more. */
export function staleMonthAttributes(now: Date): string[] {
  const month = monthBefore(now, 2);
  return (['spent', 'charged', 'alerted'] as const).map((sum) => monthAttribute(sum, month));
}

/** Returns the charges of a key in the current month, in micro-rand. */
export const chargedIn = (item: AiKeySpending | undefined, now: Date): number =>
  Number(item?.[monthAttribute('charged', monthOf(now))] ?? 0);

const isNearBudget = (chargedMicroRand: number, budgetMicroRand: number): boolean =>
  chargedMicroRand >= budgetMicroRand * NEAR_BUDGET;

/** Returns the error of a call whose key has used up its budget. */
export const budgetUsedUp = (budgetMicroRand: number, now: Date): ApiError =>
  new ApiError(
    'insufficient_credits',
    `This API key has spent its AI budget of R${microRandToRand(budgetMicroRand)} for ${monthOf(now)} (UTC). Raise it in the dashboard under Developers, or wait for the next month.`,
  );

/** A key's budget in one month. */
interface KeyMonth {
  accountId: string;
  keyId: string;
  month: string;
  budgetMicroRand: number;
}

/**
 * Emits `ai.budget_near` when a key has spent most of its budget, once for each budget and month. If the process of an earlier
 * call crashed before it emitted the event, the next call emits it.
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
      change(AiKeySpending, { accountId, keyId }, mark, concurrentUpdate),
      emit(deps, accountId, 'ai.budget_near', { keyId, month, budget, spent }),
    ]);
  } catch (error) {
    // Another call of the key has emitted the event.
    if (!(error instanceof ConcurrentUpdateError)) throw error;
  }
}
