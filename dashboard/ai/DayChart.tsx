import { VisuallyHidden } from '@mantine/core';
import { formatMicroRand } from '../ui/money.ts';
import { formatDate } from '../ui/TimeAgo.tsx';
import type { Usage } from './api.ts';
import { spendByDay } from './spend.ts';

/** Number of columns that fit on a phone. */
const MAX_DAYS = 14;

/** Column chart of spending per day; a list for screen readers. */
export function DayChart({ usage }: { usage: readonly Usage[] }) {
  const days = spendByDay(usage, Date.now(), MAX_DAYS);
  const max = Math.max(1, ...days.map((day) => day.microRand));
  return (
    <ol className="card days" aria-label="Spending by day">
      {days.map(({ day, microRand: amount }) => (
        <li key={day} title={`${formatDate(day)}: ${formatMicroRand(amount)}`}>
          <VisuallyHidden>
            {formatDate(day)}: {formatMicroRand(amount)}
          </VisuallyHidden>
          <span className="column" aria-hidden="true">
            <span style={{ height: `${amount === 0 ? 0 : Math.max(2, (amount / max) * 100)}%` }} />
          </span>
          <span className="day" aria-hidden="true">
            {day.slice(8)}
          </span>
        </li>
      ))}
    </ol>
  );
}
