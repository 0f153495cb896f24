import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { DeliveryRange } from '../../contract/webhooks/management.ts';
import { formatCount, formatMs, formatShare } from '../ui/chart/figures.ts';
import { RangeLinks } from '../ui/chart/RangeLinks.tsx';
import { TimeChart } from '../ui/chart/TimeChart.tsx';
import { useRange } from '../ui/chart/use-range.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { type DeliveryStats, useDeliveryStats } from './api.ts';

const RANGES: readonly { range: DeliveryRange; name: string }[] = [
  { range: 'day', name: 'Day' },
  { range: 'week', name: 'Week' },
  { range: 'month', name: 'Month' },
];

/** Success, latency and waiting deliveries of an endpoint. */
export function EndpointFigures({ id }: { id: string }) {
  const range = useRange(RANGES);
  const stats = useDeliveryStats(id, range);
  return (
    <Section
      title="Delivery health"
      actions={
        <RangeLinks ranges={RANGES} current={range} hrefOf={(option) => `/developers/webhooks/${id}?range=${option}`} />
      }
    >
      <QueryBoundary query={stats} lines={8}>
        {({ data }) => <Figures stats={data} />}
      </QueryBoundary>
    </Section>
  );
}

function Figures({ stats }: { stats: DeliveryStats }) {
  const { totals, points, nextAttemptAt, complete } = stats;
  const { delivered, failed, skipped, pending, attempts, p50Ms, p95Ms } = totals;
  const chart = useMemo(
    () => ({
      times: points.map(({ at }) => Date.parse(at) / 1000),
      series: [
        {
          label: 'Waiting',
          values: points.map((point) => point.pending),
          tops: points.map((point) => point.deliveries),
          color: '--chart-1',
          kind: 'bars',
        },
        {
          label: 'Delivered',
          values: points.map((point) => point.deliveries - point.failed - point.pending),
          tops: points.map((point) => point.deliveries - point.pending),
          color: '--chart-4',
          kind: 'bars',
        },
        { label: 'Failed or skipped', values: points.map((point) => point.failed), color: '--chart-3', kind: 'bars' },
      ] as const,
    }),
    [points],
  );
  const isEmpty = delivered + failed + skipped + pending === 0;
  return (
    <>
      <div className="stats">
        <div className="card">
          <Stat name="Success rate" value={formatShare(delivered, delivered + failed + skipped)} />
        </div>
        <div className="card">
          <Stat name="Receiver latency, p50" value={p50Ms === null ? '–' : formatMs(p50Ms)} />
        </div>
        <div className="card">
          <Stat name="Receiver latency, p95" value={p95Ms === null ? '–' : formatMs(p95Ms)} />
        </div>
        <div className="card">
          <Stat name="Attempts" value={formatCount(attempts)} />
        </div>
        <div className="card">
          <Stat name="Waiting" value={formatCount(pending)} />
          {nextAttemptAt && (
            <Text size="xs" c="dimmed">
              next attempt <TimeAgo at={nextAttemptAt} due="due now" />
            </Text>
          )}
        </div>
      </div>
      {!isEmpty && <TimeChart name="Deliveries by status" format={formatCount} {...chart} />}
      {!complete && (
        <Text size="sm" c="dimmed">
          Only the newest deliveries are counted. Choose a shorter time range.
        </Text>
      )}
    </>
  );
}
