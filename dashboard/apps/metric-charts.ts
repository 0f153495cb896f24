import type { AppMetrics, AppStarts } from './api.ts';

type Points = AppMetrics['points'];
const toTimes = (points: readonly { at: string }[]): number[] => points.map(({ at }) => Date.parse(at) / 1000);

/** Converts the points to chart series. Bars are drawn over one another, so each one includes the next. */
export const toCharts = (points: Points) => ({
  times: toTimes(points),
  requests: points.map(({ requests }) => requests),
  errors: points.map(({ clientErrors, serverErrors }) => clientErrors + serverErrors),
  serverErrors: points.map(({ serverErrors }) => serverErrors),
  p50: points.map(({ p50Ms }) => p50Ms),
  p95: points.map(({ p95Ms }) => p95Ms),
  p99: points.map(({ p99Ms }) => p99Ms),
  concurrency: points.map(({ concurrency }) => concurrency),
  throttled: points.map(({ throttled }) => throttled),
});

/** Returns the highest value that is not null; undefined if there is none. */
export function highest(values: readonly (number | null)[]): number | undefined {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Fills the periods in which an application did not run, so that both kinds of charts have one time axis. */
export function toStartCharts({ from, to, periodSeconds, points }: AppStarts) {
  const found = new Map(points.map((point) => [Date.parse(point.at) / 1000, point]));
  const start = Date.parse(from) / 1000;
  const length = (Date.parse(to) / 1000 - start) / periodSeconds;
  const times = Array.from({ length }, (_, index) => start + index * periodSeconds);
  return {
    times,
    starts: times.map((at) => found.get(at)?.starts ?? 0),
    slowest: times.map((at) => found.get(at)?.slowestStartMs ?? null),
    memory: times.map((at) => found.get(at)?.memoryMb ?? null),
  };
}
