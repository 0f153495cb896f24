import { type Call, queryInsights } from './insights.ts';
import type { Periods } from './metrics.ts';

/**
 * Cold starts and memory of applications. Lambda has no metric for them, but reports them in the `REPORT` line of each request
 * (https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html). Logs Insights aggregates these lines.
 */

/** Starts and memory of an application in one period in which it ran. */
export interface StartPoint {
  at: Date;
  /** Instances that were started for a request or a health check. */
  starts: number;
  /** Duration of the slowest start in milliseconds. */
  slowestMs: number | undefined;
  /** The most memory that an instance used, in megabytes. */
  memoryMb: number;
}

export interface AppStarts {
  /** Returns the periods in which the application ran, oldest first. Throws `MetricsThrottled`. */
  read(applicationId: string, span: Periods): Promise<StartPoint[]>;
}

/** Logs Insights counts memory in bytes, with a million bytes to the megabyte. */
const BYTES_PER_MB = 1_000_000;

const binOf = (seconds: number) => (seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`);

/**
 * @param prefix of the functions' names
 * @param pause waits for a number of milliseconds
 */
export function createAppStarts(call: Call, prefix: string, pause?: (ms: number) => Promise<unknown>): AppStarts {
  return {
    async read(applicationId, { from, periodS, periods }) {
      const bin = `bin(${binOf(periodS)})`;
      const startTime = from.getTime() / 1000;
      const columns = [
        'count(@initDuration) as starts',
        'max(@initDuration) as slowest',
        'max(@maxMemoryUsed) as memory',
      ];
      const input = {
        logGroupName: `/aws/lambda/${prefix}${applicationId}`,
        queryString: `filter @type = "REPORT" | stats ${columns.join(', ')} by ${bin}`,
        startTime,
        endTime: startTime + periodS * periods,
        limit: periods,
      };
      const rows = await queryInsights(call, input, pause);
      return rows
        .map((cells) => {
          const slowest = cells.get('slowest');
          return {
            at: new Date(`${cells.get(bin)?.replace(' ', 'T')}Z`),
            starts: Number(cells.get('starts') ?? 0),
            slowestMs: slowest === undefined ? undefined : Number(slowest),
            memoryMb: Math.round(Number(cells.get('memory') ?? 0) / BYTES_PER_MB),
          };
        })
        .sort((a, b) => a.at.getTime() - b.at.getTime());
    },
  };
}
