import { setTimeout as sleep } from 'node:timers/promises';
import { isAwsError, tolerate } from '../aws-errors.ts';
import { MetricsThrottled } from './metrics.ts';

/** Queries of CloudWatch Logs Insights over the log of one application. */

export type Call = <Output>(operation: string, input: object) => Promise<Output>;
type Row = readonly { field: string; value: string }[];

/** Pauses between two polls of a query. Most queries take about a second; GetQueryResults allows five calls a second in the account. */
const POLL_MS = [250, 500, 750, 1000, 1500, 2000, 3000, 3000, 3000];

const isThrottled = (error: unknown) => error instanceof Error && /^(Throttling|LimitExceeded)/.test(error.name);

/** Stops a query. It would otherwise run for up to an hour, be billed by the gigabyte, and occupy one of the slots shared by all applications. */
async function stopQuery(call: Call, queryId: string): Promise<void> {
  // The query may have ended in the meantime.
  await tolerate(call('StopQuery', { queryId }), { InvalidParameterException: undefined });
}

/** Reads the state of a query. Stops the query if its state cannot be read, because its result is then not awaited either. */
async function readResults(call: Call, queryId: string): Promise<{ status: string; results: Row[] }> {
  try {
    return await call('GetQueryResults', { queryId });
  } catch (error) {
    // The first error says more than that of the stop.
    await stopQuery(call, queryId).catch(() => undefined);
    throw error;
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
 * Runs a query and returns its rows as maps of field names to values; no rows for an application that was never released and so has
 * no log. Throws {@link MetricsThrottled}.
 * @param pause waits for a number of milliseconds
 */
export async function queryInsights(
  call: Call,
  input: InsightsQuery,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<ReadonlyMap<string, string>[]> {
  const run = async (): Promise<readonly Row[]> => {
    const { queryId } = await call<{ queryId: string }>('StartQuery', input);
    for (const wait of POLL_MS) {
      const { status, results } = await readResults(call, queryId);
      if (status === 'Complete') return results;
      if (status !== 'Running' && status !== 'Scheduled') throw new Error(`The query ended as ${status}`);
      await pause(wait);
    }
    await stopQuery(call, queryId);
    throw new MetricsThrottled('The query took too long');
  };
  const rows = await run().catch((cause: unknown): readonly Row[] => {
    if (isAwsError(cause, 'ResourceNotFoundException')) return [];
    if (!isThrottled(cause)) throw cause;
    throw new MetricsThrottled('Logs Insights refused a query: too many at once', { cause });
  });
  return rows.map((row) => new Map(row.map(({ field, value }) => [field, value])));
}
