import { setTimeout as sleep } from 'node:timers/promises';
import { isAwsError } from '../aws-errors.ts';
import { MetricsThrottled } from './metrics.ts';

/** Queries of CloudWatch Logs Insights over the log of one application. */

export type Call = <Output>(operation: string, input: object) => Promise<Output>;
type Row = readonly { field: string; value: string }[];

/** Pauses between two looks at a query: most take about a second, and GetQueryResults five calls a second of all viewers. */
const POLL_MS = [250, 500, 750, 1000, 1500, 2000, 3000, 3000, 3000];

const isThrottled = (error: unknown) => error instanceof Error && /^(Throttling|LimitExceeded)/.test(error.name);

/** Ends a query, which would go on for up to an hour: at its price by the gigabyte, and in one of the places that all applications share. */
async function stopQuery(call: Call, queryId: string): Promise<void> {
  try {
    await call('StopQuery', { queryId });
  } catch (error) {
    // It ended in this moment.
    if (!isAwsError(error, 'InvalidParameterException')) throw error;
  }
}

interface InsightsQuery {
  logGroupName: string;
  queryString: string;
  /** Seconds since the epoch. */
  startTime: number;
  endTime: number;
  limit: number;
}

/**
 * Runs a query and returns its rows, each by the names of its fields; none for an application that was never released and has
 * no log. Throws {@link MetricsThrottled}.
 * @param pause in milliseconds
 */
export async function queryInsights(
  call: Call,
  input: InsightsQuery,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<ReadonlyMap<string, string>[]> {
  const results = async (): Promise<readonly Row[]> => {
    const { queryId } = await call<{ queryId: string }>('StartQuery', input);
    for (const wait of POLL_MS) {
      const { status, results } = await call<{ status: string; results: Row[] }>('GetQueryResults', { queryId });
      if (status === 'Complete') return results;
      if (status !== 'Running' && status !== 'Scheduled') throw new Error(`The query ended as ${status}`);
      await pause(wait);
    }
    await stopQuery(call, queryId);
    throw new MetricsThrottled('The query took too long');
  };
  const rows = await results().catch((cause: unknown): readonly Row[] => {
    if (isAwsError(cause, 'ResourceNotFoundException')) return [];
    if (!isThrottled(cause)) throw cause;
    throw new MetricsThrottled('Logs Insights refused a query: too many at once', { cause });
  });
  return rows.map((row) => new Map(row.map(({ field, value }) => [field, value])));
}
