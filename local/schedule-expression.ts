/** When a schedule fires next, from its expression: `rate(1 minute)`, `cron(0 12 * * ? *)`, `at(2026-01-01T00:00:00)`. */
export interface ScheduleExpression {
  /** Also fires once when the platform starts: what it looks after may be overdue. */
  atStart: boolean;
  /** The first moment after this one, in epoch milliseconds; undefined when there is none. */
  next(after: number): number | undefined;
}

const UNITS: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
/** How far ahead a cron expression is searched, in days; one that fires more rarely never fires here. */
const HORIZON = 1500;

/** The numbers that one field of a cron expression means; undefined for all of them. */
function numbersOf(field: string, first: number, last: number, names: readonly string[]): Set<number> | undefined {
  if (field === '*' || field === '?') return undefined;
  const value = (text: string): number => {
    const name = names.indexOf(text.toUpperCase());
    const number = name < 0 ? Number(text) : name + first;
    if (!Number.isInteger(number)) throw new Error(`the local run does not know "${text}" in a cron expression`);
    return number;
  };
  const numbers = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to] = range.split('-');
    const start = from === '*' ? first : value(from);
    const end = to === undefined ? (part.includes('/') || from === '*' ? last : start) : value(to);
    for (let number = start; number <= end; number += value(step)) numbers.add(number);
  }
  return numbers;
}

function cron(fields: string[]): ScheduleExpression {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] = fields;
  const minutes = numbersOf(minute, 0, 59, []);
  const hours = numbersOf(hour, 0, 23, []);
  const daysOfMonth = numbersOf(dayOfMonth, 1, 31, []);
  const months = numbersOf(month, 1, 12, MONTHS);
  const daysOfWeek = numbersOf(dayOfWeek, 1, 7, DAYS);
  const years = numbersOf(year, 1970, 2199, []);
  const fits = (set: Set<number> | undefined, number: number): boolean => set === undefined || set.has(number);
  const fitsDay = (day: Date): boolean =>
    fits(years, day.getUTCFullYear()) &&
    fits(months, day.getUTCMonth() + 1) &&
    fits(daysOfMonth, day.getUTCDate()) &&
    fits(daysOfWeek, day.getUTCDay() + 1);
  const inDay = (midnight: number, after: number): number | undefined => {
    for (let moment = midnight; moment < midnight + 86_400_000; moment += 60_000) {
      const time = new Date(moment);
      if (moment > after && fits(hours, time.getUTCHours()) && fits(minutes, time.getUTCMinutes())) return moment;
    }
    return undefined;
  };
  return {
    atStart: false,
    next(after) {
      const today = after - (after % 86_400_000);
      for (let day = 0; day < HORIZON; day++) {
        const midnight = today + day * 86_400_000;
        const moment = fitsDay(new Date(midnight)) ? inDay(midnight, after) : undefined;
        if (moment !== undefined) return moment;
      }
      return undefined;
    },
  };
}

/** Reads a schedule expression; times are UTC. Throws on one that it does not know. */
export function parseSchedule(expression: string): ScheduleExpression {
  const [, kind, inside = ''] = /^(rate|cron|at)\((.+)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'rate') {
    const [count, unit = ''] = inside.trim().split(/\s+/);
    const period = Number(count) * (UNITS[unit.replace(/s$/, '')] ?? Number.NaN);
    if (period > 0) return { atStart: true, next: (after) => after + period };
  }
  if (kind === 'at') {
    const moment = Date.parse(`${inside}Z`);
    if (!Number.isNaN(moment)) return { atStart: false, next: (after) => (moment > after ? moment : undefined) };
  }
  const fields = inside.trim().split(/\s+/);
  if (kind === 'cron' && fields.length === 6) return cron(fields);
  throw new Error(`the local run does not know the schedule ${expression}`);
}
