import type { Usage } from './api.ts';

/** Spending under one heading: a model or a key. */
export interface Spend {
  name: string;
  microRand: number;
  calls: number;
}

type Sum = Pick<Usage, 'calls' | 'amountMicroRand'>;

/** Sums spending under the names that `nameOf` gives, highest first. */
export function spendBy<T extends Sum>(usage: readonly T[], nameOf: (each: T) => string): Spend[] {
  const totals = new Map<string, Spend>();
  for (const each of usage) {
    const name = nameOf(each);
    const { microRand, calls } = totals.get(name) ?? { microRand: 0, calls: 0 };
    totals.set(name, { name, microRand: microRand + each.amountMicroRand, calls: calls + each.calls });
  }
  return [...totals.values()].sort((a, b) => b.microRand - a.microRand);
}

/** Spending on one day. */
export interface DaySpend {
  /** `2026-01-31`, in UTC like the usage. */
  day: string;
  microRand: number;
}

const DAY_MS = 86_400_000;
const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Sums spending by day, oldest first: every day up to now, those without calls too. */
export function spendByDay(
  usage: readonly Pick<Usage, 'day' | 'amountMicroRand'>[],
  now: number,
  count: number,
): DaySpend[] {
  const days = Array.from({ length: count }, (_, back) => toDay(now - (count - 1 - back) * DAY_MS));
  const totals = new Map(days.map((day) => [day, 0]));
  for (const { day, amountMicroRand } of usage) {
    const total = totals.get(day);
    if (total !== undefined) totals.set(day, total + amountMicroRand);
  }
  return [...totals].map(([day, microRand]) => ({ day, microRand }));
}
