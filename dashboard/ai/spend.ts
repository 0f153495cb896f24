import type { Entry } from './api.ts';

/** What one model cost, and how many calls that were. */
export interface Spend {
  model: string;
  microRand: number;
  calls: number;
}

/** Spending by model, the most first. */
export function spendOf(entries: readonly Pick<Entry, 'type' | 'model' | 'amountMicroRand'>[]): Spend[] {
  const spent = new Map<string, Spend>();
  for (const { type, model, amountMicroRand } of entries) {
    if (type !== 'CALL' || model === null) continue;
    const so = spent.get(model) ?? { model, microRand: 0, calls: 0 };
    spent.set(model, { model, microRand: so.microRand - amountMicroRand, calls: so.calls + 1 });
  }
  return [...spent.values()].sort((a, b) => b.microRand - a.microRand);
}

/** What one day cost. */
export interface Day {
  /** `2026-01-31`, in UTC as the ledger is. */
  day: string;
  microRand: number;
}

const DAY = 86_400_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/**
 * Spending by day, the oldest first: every day up to now, and none before the oldest entry that is known.
 *
 * @param most how many days at most
 */
export function spendByDay(
  entries: readonly Pick<Entry, 'type' | 'amountMicroRand' | 'createdAt'>[],
  now: number,
  most: number,
): Day[] {
  const times = entries.map(({ createdAt }) => Date.parse(createdAt));
  const oldest = dayOf(Math.min(now, ...times));
  const days = Array.from({ length: most }, (_, back) => dayOf(now - (most - 1 - back) * DAY));
  const spent = new Map(days.filter((day) => day >= oldest).map((day) => [day, 0]));
  for (const { type, amountMicroRand, createdAt } of entries) {
    const day = createdAt.slice(0, 10);
    const so = spent.get(day);
    if (type === 'CALL' && so !== undefined) spent.set(day, so - amountMicroRand);
  }
  return [...spent].map(([day, microRand]) => ({ day, microRand }));
}
