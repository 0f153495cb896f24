import { VisuallyHidden } from '@mantine/core';
import './column-chart.css';

/** Colors of a column's parts, in the order of the parts. */
const PART_COLORS = ['var(--part-1)', 'var(--part-2)', 'var(--part-3)', 'var(--part-4)'] as const;

interface Column {
  id: string;
  /** Label below the column; empty if there is no room for it. */
  label: string;
  /** Full label, for the tooltip and screen readers. */
  title: string;
}

interface ColumnChartProps {
  name: string;
  columns: readonly Column[];
  /** Parts of each column, from the bottom up; at most as many as there are colors. */
  parts: readonly { label: string; values: readonly number[] }[];
  format: (value: number) => string;
  /** True if the columns are wide enough for their totals. */
  hasTotals?: boolean;
}

/** A chart of stacked columns. Screen readers get a list of the amounts. */
export function ColumnChart({ name, columns, parts, format, hasTotals = false }: ColumnChartProps) {
  const totals = columns.map((_, index) => parts.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const max = Math.max(1, ...totals);
  const colored = parts.map((part, index) => ({ ...part, color: PART_COLORS[index] ?? PART_COLORS[3] }));
  return (
    <div className="card column-chart">
      <ul className="column-legend" aria-hidden="true">
        {colored.map(({ label, color }) => (
          <li key={label}>
            <span style={{ background: color }} />
            {label}
          </li>
        ))}
      </ul>
      <ol aria-label={name}>
        {columns.map(({ id, label: short, title }, index) => {
          const nonZero = colored.filter(({ values }) => (values[index] ?? 0) > 0);
          const description = `${title}: ${format(totals[index] ?? 0)}${
            nonZero.length > 0
              ? ` (${nonZero.map(({ label, values }) => `${label} ${format(values[index] ?? 0)}`).join(', ')})`
              : ''
          }`;
          return (
            <li key={id} title={description}>
              <VisuallyHidden>{description}</VisuallyHidden>
              {hasTotals && (
                <span className="column-total" aria-hidden="true">
                  {(totals[index] ?? 0) > 0 && format(totals[index] ?? 0)}
                </span>
              )}
              <span className="column-bar" aria-hidden="true">
                {nonZero.map(({ label, values, color }) => (
                  <span key={label} style={{ height: `${((values[index] ?? 0) / max) * 100}%`, background: color }} />
                ))}
              </span>
              <span className="column-name" aria-hidden="true">
                {short || '\u00a0'}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
