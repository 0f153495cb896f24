import { Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { MetricRange } from '../../contract/apps/metrics.ts';
import { formatCount, formatMb, formatMs, formatShare } from '../ui/chart/figures.ts';
import { RangeLinks } from '../ui/chart/RangeLinks.tsx';
import { TimeChart } from '../ui/chart/TimeChart.tsx';
import { useRange } from '../ui/chart/use-range.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { ExternalLink, TextLink } from '../ui/TextLink.tsx';
import { formatTime } from '../ui/TimeAgo.tsx';
import { type Application, type AppMetrics, appUrl, useAppMetrics, useAppStarts } from './api.ts';
import { logsBetween } from './log-window.ts';
import { highest, toCharts, toStartCharts } from './metric-charts.ts';
import { RANGES } from './ranges.ts';

const SHORT_SHA_LENGTH = 7;

/** Loads the metrics in parallel with the application. */
export function PrefetchMetrics({ id }: { id: string }) {
  useAppMetrics(id, useRange(RANGES));
  return null;
}

/** Metrics of an application: requests, response times, errors and instances. */
export function Metrics({ app }: { app: Application }) {
  const range = useRange(RANGES);
  const metrics = useAppMetrics(app.id, range);
  return (
    <Section
      title="Metrics"
      description="Updated every minute, in your time zone."
      actions={
        <RangeLinks ranges={RANGES} current={range} hrefOf={(option) => `/apps/${app.id}/metrics?range=${option}`} />
      }
    >
      <QueryBoundary query={metrics} lines={6}>
        {({ data }) => (
          <Stack gap="md" aria-busy={metrics.isPlaceholderData}>
            <Totals data={data} />
            {data.totals.requests === 0 ? (
              <EmptyState title={`No requests in the last ${data.range}`}>
                Requests to <ExternalLink href={appUrl(app)}>{appUrl(app)}</ExternalLink> appear here about a minute
                later.
              </EmptyState>
            ) : (
              <TrafficCharts app={app} data={data} />
            )}
          </Stack>
        )}
      </QueryBoundary>
      {metrics.data && metrics.data.data.totals.requests > 0 && <InstanceCharts app={app} range={range} />}
    </Section>
  );
}

const Totals = ({ data: { totals, points } }: { data: AppMetrics }) => {
  const peak = highest(points.map(({ p95Ms }) => p95Ms));
  return (
    <div className="stats">
      <div className="card">
        <Stat name="Requests" value={formatCount(totals.requests)} />
      </div>
      <div className="card">
        <Stat name="Server errors (5xx)" value={formatShare(totals.serverErrors, totals.requests)} />
      </div>
      <div className="card">
        <Stat name="Client errors (4xx)" value={formatShare(totals.clientErrors, totals.requests)} />
      </div>
      <div className="card">
        <Stat name="Slowest p95" value={peak === undefined ? '–' : formatMs(peak)} />
      </div>
      <div className="card">
        <Stat name="Compute, GB-s" value={formatCount(totals.gbSeconds)} />
      </div>
    </div>
  );
};

function TrafficCharts({ app, data }: { app: Application; data: AppMetrics }) {
  const [, navigate] = useLocation();
  const figures = useMemo(() => {
    const charts = toCharts(data.points);
    return {
      times: charts.times,
      requests: [
        { label: 'Requests', values: charts.requests, color: '--chart-1', kind: 'bars' },
        { label: 'Errors', values: charts.errors, color: '--chart-2', kind: 'bars' },
        { label: '5xx', values: charts.serverErrors, color: '--chart-3', kind: 'bars' },
      ] as const,
      latency: [
        { label: 'p50', values: charts.p50, color: '--chart-1', kind: 'line' },
        { label: 'p95', values: charts.p95, color: '--chart-2', kind: 'line', dash: [6, 3] },
        { label: 'p99', values: charts.p99, color: '--chart-5', kind: 'line', dash: [2, 2] },
      ] as const,
      concurrency: [
        { label: 'Concurrent', values: charts.concurrency, color: '--chart-4', kind: 'bars' },
        { label: 'Refused (429)', values: charts.throttled, color: '--chart-3', kind: 'line', dash: [6, 3] },
      ] as const,
      marks: data.deployments.map(({ at }) => ({ at: Date.parse(at) / 1000 })),
    };
  }, [data]);
  const { times, marks } = figures;
  const openLogs = (index: number) => {
    const from = (times[index] ?? 0) * 1000;
    navigate(logsBetween(app.id, from, from + data.periodSeconds * 1000));
  };
  const common = { times, marks, onPick: openLogs, pickLabel: 'click or press Enter to open the logs' };
  return (
    <>
      <div className="charts">
        <TimeChart name="Requests" series={figures.requests} format={formatCount} {...common} />
        <TimeChart name="Response time" series={figures.latency} format={formatMs} {...common} />
        <TimeChart name="Concurrent requests" series={figures.concurrency} format={formatCount} {...common} />
      </div>
      {data.deployments.length > 0 && (
        <Group gap="xs" component="section" aria-label="Deployments in this time">
          <Text size="sm" c="dimmed">
            ▼ Deployments:
          </Text>
          {data.deployments.map(({ id, at, commitSha }) => (
            <TextLink key={id} href={`/apps/${app.id}/deployments/${id}`}>
              {formatTime(at)}
              {commitSha && ` · ${commitSha.slice(0, SHORT_SHA_LENGTH)}`}
            </TextLink>
          ))}
        </Group>
      )}
    </>
  );
}

/** Cold starts and memory. They are a separate request, because the API queries the log for them. */
const InstanceCharts = ({ app, range }: { app: Application; range: MetricRange }) => (
  <QueryBoundary query={useAppStarts(app.id, range)} lines={2}>
    {({ data }) => {
      const charts = toStartCharts(data);
      const peak = highest(charts.memory);
      return (
        <div className="charts">
          <TimeChart
            name="Cold starts"
            times={charts.times}
            format={formatCount}
            series={[{ label: 'Instances started', values: charts.starts, color: '--chart-1', kind: 'bars' }]}
          />
          <TimeChart
            name={`Memory${peak === undefined ? '' : `: peak ${formatMb(peak)} of ${formatMb(data.memoryLimitMb)}`}`}
            times={charts.times}
            format={formatMb}
            series={[{ label: 'Peak of an instance', values: charts.memory, color: '--chart-5', kind: 'bars' }]}
          />
        </div>
      );
    }}
  </QueryBoundary>
);
