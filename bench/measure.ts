/** A comparison of two measurements of the same run, with its maximum ratio. */
export interface Row {
  what: string;
  ours: number;
  against: number;
  unit: string;
  atMost: number;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
};

/** Returns the value below which this part of all values lies. */
export const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;

/** Returns the duration of work in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Returns the medians of two alternating measurements, so that the machine's load affects both equally. */
export async function byTurns(
  times: number,
  ours: () => Promise<unknown>,
  against: () => Promise<unknown>,
): Promise<{ ours: number; against: number }> {
  const taken = { ours: [] as number[], against: [] as number[] };
  for (let turn = 0; turn < times; turn += 1) {
    taken.ours.push(await timed(ours));
    taken.against.push(await timed(against));
  }
  return { ours: median(taken.ours), against: median(taken.against) };
}

export const isReached = ({ ours, against, atMost }: Row): boolean => ours / against <= atMost;

export function print(row: Row): void {
  const ratio = row.ours / row.against;
  const [ours, against] = [row.ours, row.against].map((value) => value.toFixed(value < 10 ? 2 : 0));
  const verdict = isReached(row) ? 'ok' : 'OVER';
  console.log(
    `${row.what.padEnd(58)} ${`${ours} ${row.unit}`.padStart(12)} against ${`${against} ${row.unit}`.padStart(12)}  ratio ${ratio.toFixed(2).padStart(5)} (at most ${row.atMost}) ${verdict}`,
  );
}
