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

const DAY_MS = 86_400_000;
const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Names that a chart shows apart; the others are one part. */
const MAX_NAMES = 3;
const OTHERS = 'Others';

/** Values by day, apart for the names with the most. */
export interface DailyParts {
  /** `2026-01-31`, in UTC like the usage, oldest first: every day, those without calls too. */
  days: string[];
  parts: { label: string; values: number[] }[];
}

/** Sums a value of the usage by day, and by the names that `nameOf` gives. */
export function partsByDay(
  usage: readonly Usage[],
  nameOf: (each: Usage) => string,
  amountOf: (each: Usage) => number,
  now: number,
  count: number,
): DailyParts {
  const days = Array.from({ length: count }, (_, back) => toDay(now - (count - 1 - back) * DAY_MS));
  const shown = usage.filter(({ day }) => days.includes(day));
  const totals = new Map<string, number>();
  for (const each of shown) totals.set(nameOf(each), (totals.get(nameOf(each)) ?? 0) + amountOf(each));
  const names = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name);
  // One name more has as much room as the part of the others.
  const top = names.length === MAX_NAMES + 1 ? names : names.slice(0, MAX_NAMES);
  const labels = top.length < names.length ? [...top, OTHERS] : top;
  const parts = labels.map((label) => ({ label, values: days.map(() => 0) }));
  for (const each of shown) {
    const name = top.includes(nameOf(each)) ? nameOf(each) : OTHERS;
    const values = parts.find(({ label }) => label === name)?.values ?? [];
    const at = days.indexOf(each.day);
    values[at] = (values[at] ?? 0) + amountOf(each);
  }
  return { days, parts };
}
