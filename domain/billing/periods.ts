type Cycle = 'MONTHLY' | 'YEARLY';

/** The same day and time so many months later, or the month's last day where it has no such day. */
function addMonths(time: Date, months: number): Date {
  const month = time.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(time.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const later = new Date(time);
  later.setUTCFullYear(time.getUTCFullYear(), month, Math.min(time.getUTCDate(), lastDay));
  return later;
}

/**
 * Returns the end of the period that follows another. Periods count from the beginning: the 31st is the 31st again
 * after February.
 */
export function periodEndAfter(beginning: string, cycle: Cycle, end: string): string {
  const step = cycle === 'MONTHLY' ? 1 : 12;
  for (let months = step; ; months += step) {
    const candidate = addMonths(new Date(beginning), months).toISOString();
    if (candidate > end) return candidate;
  }
}
