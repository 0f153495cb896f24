import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { readAppLog } from '../lambda/app-log.ts';
import { type AppRequest, readAppRequests } from '../lambda/app-requests.ts';
import { ServiceError } from '../wire.ts';

/** Times are seconds since the epoch. */
export const StartQuery = z.object({
  logGroupName: z.string(),
  queryString: z.string().min(1).max(10_000),
  startTime: z.number().int().min(0),
  endTime: z.number().int().min(0),
  limit: z.number().int().min(1).max(10_000).default(1000),
});
export const GetQueryResults = z.object({ queryId: z.string() });

interface Cell {
  field: string;
  value: string;
}

const malformedQuery = (part: string) =>
  new ServiceError('MalformedQueryException', `The local run does not support this query: ${part}`);

/** Fields that Logs Insights discovers in Lambda's `REPORT` lines; undefined if a line lacks the field. */
const FIELDS: Readonly<Record<string, (request: AppRequest) => number | undefined>> = {
  '@duration': ({ durationMs }) => durationMs,
  '@initDuration': ({ initMs }) => (initMs > 0 ? initMs : undefined),
  '@maxMemoryUsed': ({ memoryMb }) => memoryMb * 1_000_000,
};
const FUNCTIONS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  count: (values) => values.length,
  max: (values) => values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
  sum: (values) => values.reduce((total, value) => total + value, 0),
  avg: (values) => values.reduce((total, value) => total + value, 0) / values.length,
};
const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const QUERY = /^filter @type = "REPORT" \| stats (?<stats>.+) by (?<bin>bin\((?<count>\d+)(?<unit>[smhd])\))$/;
const STAT = /^(?<name>\w+)\((?<field>@\w+)\) as (?<as>\w+)$/;

/** Parses `filter @type = "REPORT" | stats fn(@field) as name, … by bin(…)`. The platform uses no other statistics queries. */
function parseQuery(text: string) {
  const { stats = '', bin = '', count = '', unit = '' } = QUERY.exec(text)?.groups ?? {};
  if (bin === '') throw malformedQuery(text);
  const columns = stats.split(', ').map((stat) => {
    const { name = '', field = '', as = '' } = STAT.exec(stat)?.groups ?? {};
    const [aggregate, sampleOf] = [FUNCTIONS[name], FIELDS[field]];
    if (!aggregate || !sampleOf) throw malformedQuery(stat);
    return { as, aggregate, sampleOf };
  });
  return { bin, seconds: Number(count) * (UNIT_S[unit] ?? 1), columns };
}

/** A query for the lines of an application that match a pattern, newest first. */
const LINES_QUERY =
  /^fields @timestamp, @message \| filter @message like \/(?<pattern>[^/]+)\/ \| sort @timestamp desc$/;

/** Formats a time as Logs Insights does: `2026-11-23 03:15:00.000`. */
const formatTime = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');

/** Runs Logs Insights queries over a function's output and its `REPORT` lines, which the Lambda emulator stores separately. */
export function openInsights(dataDir: string) {
  const results = new Map<string, Cell[][]>();

  const linesOf = (functionName: string, { queryString, startTime, endTime, limit }: z.output<typeof StartQuery>) => {
    const pattern = new RegExp(LINES_QUERY.exec(queryString)?.groups?.pattern ?? '(?!)');
    return readAppLog(dataDir, functionName)
      .filter(({ timestamp }) => timestamp >= startTime * 1000 && timestamp <= endTime * 1000)
      .filter(({ message }) => pattern.test(message))
      .reverse()
      .slice(0, limit)
      .map(({ timestamp, message }): Cell[] => [
        { field: '@timestamp', value: formatTime(timestamp) },
        { field: '@message', value: message },
      ]);
  };

  const statisticsOf = (
    functionName: string,
    { queryString, startTime, endTime, limit }: z.output<typeof StartQuery>,
  ) => {
    const { bin, seconds, columns } = parseQuery(queryString);
    const requests = readAppRequests(dataDir, functionName, startTime * 1000, endTime * 1000).filter(
      ({ throttled }) => !throttled,
    );
    const bins = Map.groupBy(requests, ({ at }) => Math.floor(at / 1000 / seconds) * seconds * 1000);
    return [...bins]
      .sort(([a], [b]) => b - a)
      .slice(0, limit)
      .map(([start, requestsInBin]): Cell[] => [
        { field: bin, value: formatTime(start) },
        ...columns.flatMap(({ as, aggregate, sampleOf }): Cell[] => {
          const values = requestsInBin.map(sampleOf).filter((value) => value !== undefined);
          const value = aggregate(values);
          return Number.isFinite(value) ? [{ field: as, value: String(value) }] : [];
        }),
      ]);
  };

  return {
    start(functionName: string, query: z.output<typeof StartQuery>): string {
      const queryId = randomUUID();
      results.set(queryId, (LINES_QUERY.test(query.queryString) ? linesOf : statisticsOf)(functionName, query));
      return queryId;
    },
    /** Returns the rows of a query and deletes them. A query is complete as soon as it has started. */
    results(queryId: string): Cell[][] {
      const rows = results.get(queryId);
      if (!rows) throw new ServiceError('ResourceNotFoundException', 'The specified query does not exist.');
      results.delete(queryId);
      return rows;
    },
  };
}
