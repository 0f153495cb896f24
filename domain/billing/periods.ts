type Cycle = 'MONTHLY' | 'YEARLY';

/** Returns the same day and time a number of months later, or the last day of a shorter month. */
function addMonths(time: Date, months: number): Date {
  const month = time.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(time.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const later = new Date(time);
  later.setUTCFullYear(time.getUTCFullYear(), month, Math.min(time.getUTCDate(), lastDay));
  return later;
}

/**
 * Returns the end of the period that follows another. Periods are counted from the beginning, so a subscription of the 31st renews on the 31st
 * again after February.
 */
export function periodEndAfter(beginning: string, cycle: Cycle, end: string): string {
  const step = cycle === 'MONTHLY' ? 1 : 12;
  for (let months = step; ; months += step) {
    const candidate = addMonths(new Date(beginning), months).toISOString();
    if (candidate > end) return candidate;
  }
}
