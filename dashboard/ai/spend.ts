import type { Usage } from './api.ts';

/** Spending of a model or key. */
export interface Spend {
  name: string;
  microRand: number;
  calls: number;
}

type Sum = Pick<Usage, 'calls' | 'amountMicroRand'>;

/** Sums the spending by the names that `nameOf` returns, highest first. */
export function spendBy<T extends Sum>(usage: readonly T[], nameOf: (entry: T) => string): Spend[] {
  const totals = new Map<string, Spend>();
  for (const entry of usage) {
    const name = nameOf(entry);
    const { microRand, calls } = totals.get(name) ?? { microRand: 0, calls: 0 };
    totals.set(name, { name, microRand: microRand + entry.amountMicroRand, calls: calls + entry.calls });
  }
  return [...totals.values()].sort((a, b) => b.microRand - a.microRand);
}

const DAY_MS = 86_400_000;
const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Maximum number of names with a part of their own; the others are merged. */
const MAX_NAMES = 3;
const OTHERS = 'Others';

/** Values by day, with one part for each of the names with the highest totals. */
export interface DailyParts {
  /** Every day (`2026-01-31`, UTC), also without calls, oldest first. */
  days: string[];
  parts: { label: string; values: number[] }[];
}

/** Sums a value of the usage by day, and by the names that `nameOf` returns. */
export function partsByDay(
  usage: readonly Usage[],
  nameOf: (entry: Usage) => string,
  amountOf: (entry: Usage) => number,
  now: number,
  count: number,
): DailyParts {
  const days = Array.from({ length: count }, (_, index) => toDay(now - (count - 1 - index) * DAY_MS));
  const shown = usage.filter(({ day }) => days.includes(day));
  const totals = new Map<string, number>();
  for (const entry of shown) totals.set(nameOf(entry), (totals.get(nameOf(entry)) ?? 0) + amountOf(entry));
  const names = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name);
  // A single further name is shown in place of the merged part.
  const top = names.length === MAX_NAMES + 1 ? names : names.slice(0, MAX_NAMES);
  const labels = top.length < names.length ? [...top, OTHERS] : top;
  const parts = labels.map((label) => ({ label, values: days.map(() => 0) }));
  for (const entry of shown) {
    const name = top.includes(nameOf(entry)) ? nameOf(entry) : OTHERS;
    const values = parts.find(({ label }) => label === name)?.values ?? [];
    const index = days.indexOf(entry.day);
    values[index] = (values[index] ?? 0) + amountOf(entry);
  }
  return { days, parts };
}
