import { expect, test, vi } from 'vitest';
import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { reportQuarantine, reportSweep } from './sweep-metrics.ts';

/** Returns the lines that a report logs. */
function linesOf(report: () => void): string[] {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    report();
    return write.mock.calls.map(([line]) => String(line));
  } finally {
    write.mockRestore();
  }
}
const sweep = (part: Partial<SweepReport>): string[] =>
  linesOf(() => reportSweep({ queue: 'ZONE', done: 0, results: [], failed: [], oldestMs: 0, reached: '', ...part }));

test('an idle installation writes neither lines nor metrics of its due queues, because both have a price', () => {
  expect([...sweep({}), ...linesOf(() => reportQuarantine(0))]).toEqual([]);
  const [onTime = ''] = sweep({ done: 1, oldestMs: 60_000 });
  expect(JSON.parse(onTime)).toMatchObject({ message: 'queue swept', queue: 'ZONE', done: 1, oldestSeconds: 60 });
  expect(onTime).not.toContain('_aws');
});

test('late items, failed items and quarantined items are metrics', () => {
  const failed = [{ pk: 'p', sk: 's', failures: 1, error: new Error('down') }] as unknown as SweepReport['failed'];
  const last = (lines: string[]) => JSON.parse(lines.at(-1) ?? '');
  expect(last(sweep({ oldestMs: 900_000 }))).toMatchObject({ SweepOldestDue: 900 });
  expect(last(sweep({ failed }))).toMatchObject({ SweepFailures: 1 });
  expect(last(linesOf(() => reportQuarantine(3)))).toMatchObject({ SweepQuarantined: 3 });
});
