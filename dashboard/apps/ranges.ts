import type { MetricRange } from '../../contract/apps/metrics.ts';

/** Time ranges of an application's metrics. */
export const RANGES: readonly { range: MetricRange; name: string }[] = [
  { range: 'hour', name: 'Hour' },
  { range: 'day', name: 'Day' },
  { range: 'week', name: 'Week' },
  { range: 'month', name: 'Month' },
];
