import { Text, useComputedColorScheme } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { DataTable } from '../DataTable.tsx';
import type { Chart, Mark, Series } from './plot.ts';
import './chart.css';

interface TimeChartProps {
  name: string;
  /** Unix times in seconds, evenly spaced. */
  times: readonly number[];
  /** Bars are drawn over one another in this order: each is a part of the one before it, or of its `tops`. */
  series: readonly Series[];
  format: (value: number) => string;
  /** Times that are marked on the time axis. */
  marks?: readonly Mark[];
  /** Called with the index of a time that is clicked, or chosen with Enter. */
  onPick?: (index: number) => void;
  /** Label of what {@link onPick} does. */
  pickLabel?: string;
}

const NO_MARKS: readonly Mark[] = [];
const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const formatTime = (at: number): string => timeFormat.format(at * 1000);

/** Keyboard steps, as in a slider. */
const STEPS: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  PageDown: (index) => index - 10,
  PageUp: (index) => index + 10,
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * A chart over time. The library that draws it is loaded after the rest of the screen. The values can be read with the arrow keys, as
 * in a slider, and as a table.
 */
export function TimeChart({ name, times, series, format, marks = NO_MARKS, onPick, pickLabel }: TimeChartProps) {
  const title = useId();
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | undefined>(undefined);
  const pick = useRef(onPick);
  pick.current = onPick;
  const scheme = useComputedColorScheme('light');
  const [cursor, setCursor] = useState<number | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const isPickable = onPick !== undefined;
  const last = times.length - 1;
  const shown = Math.min(cursor ?? last, last);

  // The colors are read when the chart is drawn, so a change of the scheme has to redraw it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides the colors
  useEffect(() => {
    let isUnmounted = false;
    import('./plot.ts').then(
      ({ drawChart }) => {
        if (isUnmounted || !box.current) return;
        const options = { times, series, marks, format, onCursor: setCursor };
        chart.current = drawChart(box.current, {
          ...options,
          onPick: isPickable ? (index) => pick.current?.(index) : undefined,
        });
      },
      () => setHasFailed(true),
    );
    return () => {
      isUnmounted = true;
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [times, series, marks, format, isPickable, scheme]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && onPick) onPick(shown);
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, step(shown, last)));
    setCursor(next);
    chart.current?.setCursor(next);
  };
  const valueAt = ({ values }: Series, index: number): string => {
    const value = values[index];
    return value === null || value === undefined ? '–' : format(value);
  };
  const describe = (index: number): string =>
    `${formatTime(times[index] ?? 0)}: ${series.map((each) => `${each.label} ${valueAt(each, index)}`).join(', ')}`;
  const rows = times.flatMap((_, index) => (series.some(({ values }) => values[index]) ? [index] : [])).reverse();

  return (
    <figure className="card chart" aria-labelledby={title}>
      <figcaption className="chart-head">
        <Text fw={600} id={title} span>
          {name}
        </Text>
        <ul className="chart-legend">
          {series.map((each) => (
            <li key={each.label}>
              <Swatch series={each} />
              {each.label} <strong>{valueAt(each, shown)}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      {hasFailed ? (
        <Text size="sm" c="dimmed">
          The chart could not be loaded. Its values are in the table.
        </Text>
      ) : (
        <div
          ref={box}
          className="chart-plot"
          role="slider"
          tabIndex={0}
          aria-labelledby={title}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={shown}
          aria-valuetext={describe(shown)}
          onKeyDown={onKeyDown}
        />
      )}
      <Text size="xs" c="dimmed" aria-hidden="true">
        {formatTime(times[shown] ?? 0)}
        {pickLabel && ` · ${pickLabel}`}
      </Text>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>Show as table</summary>
        {isOpen && rows.length === 0 && <Text size="sm">No values in this time range.</Text>}
        {isOpen && rows.length > 0 && (
          <DataTable
            name={`${name}, values`}
            items={rows}
            idOf={String}
            columns={[
              { name: 'Time', show: (index) => formatTime(times[index] ?? 0) },
              ...series.map((each) => ({
                name: each.label,
                number: true,
                show: (index: number) => valueAt(each, index),
              })),
            ]}
          />
        )}
      </details>
    </figure>
  );
}

/** Legend symbol of a series: filled for bars, with its dashes for a line. */
const Swatch = ({ series: { color, kind, dash } }: { series: Series }) => (
  <svg width="16" height="10" aria-hidden="true">
    {kind === 'bars' ? (
      <rect width="16" height="10" rx="2" fill={`var(${color})`} />
    ) : (
      <line x1="0" y1="5" x2="16" y2="5" stroke={`var(${color})`} strokeWidth="2.5" strokeDasharray={dash?.join(' ')} />
    )}
  </svg>
);
