import { VisuallyHidden } from '@mantine/core';
import { microRand } from '../ui/money.ts';
import { dateOf } from '../ui/TimeAgo.tsx';
import type { Entry } from './api.ts';
import { spendByDay } from './spend.ts';

/** As many bars as a phone has room for. */
const DAYS = 14;

/** What each day cost, as columns: a list for those who hear it. */
export function DayChart({ entries }: { entries: readonly Entry[] }) {
  const days = spendByDay(entries, Date.now(), DAYS);
  const most = Math.max(1, ...days.map((day) => day.microRand));
  return (
    <ol className="card days" aria-label="Spending by day">
      {days.map(({ day, microRand: amount }) => (
        <li key={day} title={`${dateOf(day)}: ${microRand(amount)}`}>
          <VisuallyHidden>
            {dateOf(day)}: {microRand(amount)}
          </VisuallyHidden>
          <span className="column" aria-hidden="true">
            <span style={{ height: `${amount === 0 ? 0 : Math.max(2, (amount / most) * 100)}%` }} />
          </span>
          <span className="day" aria-hidden="true">
            {day.slice(8)}
          </span>
        </li>
      ))}
    </ol>
  );
}
