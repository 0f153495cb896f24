import type { LedgerEntry } from './api.ts';

/** Spending on one model. */
export interface ModelSpend {
  model: string;
  microRand: number;
  calls: number;
}

/** Sums spending by model, highest first. */
export function spendByModel(
  entries: readonly Pick<LedgerEntry, 'type' | 'model' | 'amountMicroRand'>[],
): ModelSpend[] {
  const totals = new Map<string, ModelSpend>();
  for (const { type, model, amountMicroRand } of entries) {
    if (type !== 'CALL' || model === null) continue;
    const total = totals.get(model) ?? { model, microRand: 0, calls: 0 };
    totals.set(model, { model, microRand: total.microRand - amountMicroRand, calls: total.calls + 1 });
  }
  return [...totals.values()].sort((a, b) => b.microRand - a.microRand);
}

/** Spending on one day. */
export interface DaySpend {
  /** `2026-01-31`, in UTC like the ledger. */
  day: string;
  microRand: number;
}

const DAY_MS = 86_400_000;
const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/**
 * Sums spending by day, oldest first. Includes every day up to now, but none before the oldest known entry.
 *
 * @param maxDays maximum number of days
 */
export function spendByDay(
  entries: readonly Pick<LedgerEntry, 'type' | 'amountMicroRand' | 'createdAt'>[],
  now: number,
  maxDays: number,
): DaySpend[] {
  const times = entries.map(({ createdAt }) => Date.parse(createdAt));
  const oldest = toDay(Math.min(now, ...times));
  const days = Array.from({ length: maxDays }, (_, back) => toDay(now - (maxDays - 1 - back) * DAY_MS));
  const totals = new Map(days.filter((day) => day >= oldest).map((day) => [day, 0]));
  for (const { type, amountMicroRand, createdAt } of entries) {
    const day = createdAt.slice(0, 10);
    const total = totals.get(day);
    if (type === 'CALL' && total !== undefined) totals.set(day, total - amountMicroRand);
  }
  return [...totals].map(([day, microRand]) => ({ day, microRand }));
}
