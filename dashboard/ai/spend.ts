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
