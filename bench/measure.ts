/** A comparison of two measurements of the same run, with its maximum ratio. */
export interface Row {
  name: string;
  ours: number;
  baseline: number;
  unit: string;
  maxRatio: number;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
};

/** Returns the value below which the given fraction of all values lies. */
export const quantile = (values: readonly number[], fraction: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * fraction))] ?? Number.NaN;

/** Returns the duration of work in milliseconds. */
export async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Returns the medians of two alternating measurements, so that the machine's load affects both equally. */
export async function measureAlternately(
  times: number,
  ours: () => Promise<unknown>,
  baseline: () => Promise<unknown>,
): Promise<{ ours: number; baseline: number }> {
  const durations = { ours: [] as number[], baseline: [] as number[] };
  for (let turn = 0; turn < times; turn += 1) {
    durations.ours.push(await durationOf(ours));
    durations.baseline.push(await durationOf(baseline));
  }
  return { ours: median(durations.ours), baseline: median(durations.baseline) };
}

export const isReached = ({ ours, baseline, maxRatio }: Row): boolean => ours / baseline <= maxRatio;

export function print(row: Row): void {
  const ratio = row.ours / row.baseline;
  const [ours, baseline] = [row.ours, row.baseline].map((value) => value.toFixed(value < 10 ? 2 : 0));
  const verdict = isReached(row) ? 'ok' : 'OVER';
  console.log(
    `${row.name.padEnd(58)} ${`${ours} ${row.unit}`.padStart(12)} against ${`${baseline} ${row.unit}`.padStart(12)}  ratio ${ratio.toFixed(2).padStart(5)} (at most ${row.maxRatio}) ${verdict}`,
  );
}
