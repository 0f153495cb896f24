import { VisuallyHidden } from '@mantine/core';
import './column-chart.css';

/** Colours of a column's parts, in the order of the parts. */
export const PART_COLOURS = ['var(--part-1)', 'var(--part-2)', 'var(--part-3)', 'var(--part-4)'] as const;

interface Column {
  id: string;
  /** Label below the column; empty where there is no room for one. */
  label: string;
  /** The same for the tooltip and screen readers. */
  title: string;
}

interface ColumnChartProps {
  name: string;
  columns: readonly Column[];
  /** Parts of each column, from the bottom up; at most as many as there are colours. */
  parts: readonly { label: string; values: readonly number[] }[];
  format: (value: number) => string;
  /** True where columns are wide enough for their totals. */
  hasTotals?: boolean;
}

/** Stacked columns; a list with the amounts for screen readers. */
export function ColumnChart({ name, columns, parts, format, hasTotals = false }: ColumnChartProps) {
  const totals = columns.map((_, at) => parts.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const max = Math.max(1, ...totals);
  const coloured = parts.map((part, at) => ({ ...part, colour: PART_COLOURS[at] ?? PART_COLOURS[3] }));
  return (
    <div className="card column-chart">
      <ul className="column-legend" aria-hidden="true">
        {coloured.map(({ label, colour }) => (
          <li key={label}>
            <span style={{ background: colour }} />
            {label}
          </li>
        ))}
      </ul>
      <ol aria-label={name}>
        {columns.map(({ id, label: short, title }, at) => {
          const known = coloured.filter(({ values }) => (values[at] ?? 0) > 0);
          const says = `${title}: ${format(totals[at] ?? 0)}${
            known.length > 0
              ? ` (${known.map(({ label, values }) => `${label} ${format(values[at] ?? 0)}`).join(', ')})`
              : ''
          }`;
          return (
            <li key={id} title={says}>
              <VisuallyHidden>{says}</VisuallyHidden>
              {hasTotals && (
                <span className="column-total" aria-hidden="true">
                  {(totals[at] ?? 0) > 0 && format(totals[at] ?? 0)}
                </span>
              )}
              <span className="column-bar" aria-hidden="true">
                {known.map(({ label, values, colour }) => (
                  <span key={label} style={{ height: `${((values[at] ?? 0) / max) * 100}%`, background: colour }} />
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
