import { VisuallyHidden } from '@mantine/core';
import './month-chart.css';

interface MonthChartProps {
  name: string;
  /** `2026-01` */
  months: readonly string[];
  /** Parts of each month's column, from the bottom up. */
  parts: readonly { label: string; values: readonly number[]; colour: string }[];
  format: (value: number) => string;
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
const longFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Stacked columns of months; a list with the amounts for screen readers. */
export function MonthChart({ name, months, parts, format }: MonthChartProps) {
  const totals = months.map((_, at) => parts.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const max = Math.max(1, ...totals);
  return (
    <div className="card month-chart">
      <ul className="month-legend" aria-hidden="true">
        {parts.map(({ label, colour }) => (
          <li key={label}>
            <span style={{ background: colour }} />
            {label}
          </li>
        ))}
      </ul>
      <ol aria-label={name}>
        {months.map((month, at) => {
          const day = new Date(`${month}-01T00:00:00Z`);
          const known = parts.filter(({ values }) => (values[at] ?? 0) > 0);
          const says = `${longFormat.format(day)}: ${format(totals[at] ?? 0)}${
            known.length > 0
              ? ` (${known.map(({ label, values }) => `${label} ${format(values[at] ?? 0)}`).join(', ')})`
              : ''
          }`;
          return (
            <li key={month} title={says}>
              <VisuallyHidden>{says}</VisuallyHidden>
              <span className="month-total" aria-hidden="true">
                {(totals[at] ?? 0) > 0 && format(totals[at] ?? 0)}
              </span>
              <span className="month-column" aria-hidden="true">
                {known.map(({ label, values, colour }) => (
                  <span key={label} style={{ height: `${((values[at] ?? 0) / max) * 100}%`, background: colour }} />
                ))}
              </span>
              <span className="month-name" aria-hidden="true">
                {monthFormat.format(day)}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
