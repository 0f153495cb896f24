import { type Call, queryInsights } from './insights.ts';

/**
 * Requests of applications, one by one: their processes print a line for each (builder/app-runtime/request-log.ts), which Logs
 * Insights finds.
 */

/** The beginning of such a line. The rest is JSON. */
export const REQUEST_MARK = 'REQUEST ';
/** The mark before a line that was printed in the course of a request: 14 bytes, its id being 8 characters. */
export const lineMark = (id: string): string => `#req=${id} `;
const LINE_MARK = /^#req=([\w-]{8}) /;
const LINE_MARKS = /^#req=[\w-]{8} /gm;

/** Returns what an application printed, without marks, and the id of the request in whose course it did. */
export const parseLine = (printed: string): { text: string; requestId: string | null } => ({
  text: printed.replace(LINE_MARKS, ''),
  requestId: LINE_MARK.exec(printed)?.[1] ?? null,
});

/** Requests that are read at most: the newest. */
export const MAX_REQUEST_LINES = 5000;

export interface RequestLine {
  /** The id that its lines carry; null for a release from before they had one. */
  id: string | null;
  method: string;
  /** Without its query. */
  path: string;
  status: number;
  /** Time in the application in milliseconds. */
  ms: number;
  /** Bytes of the response, with its headers. */
  bytes: number;
  /** Requests before it that have no line, because there were too many in a minute. */
  skipped: number;
}

export interface LoggedRequest extends RequestLine {
  /** Time of its end. */
  at: Date;
}

export interface AppRequests {
  /** Returns the newest requests of a span, newest first. Throws `MetricsThrottled`. */
  read(applicationId: string, span: { from: Date; to: Date }): Promise<LoggedRequest[]>;
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** Parses a line; undefined for any other, such as one that the application made up. */
export function parseRequestLine(text: string): RequestLine | undefined {
  if (!text.startsWith(REQUEST_MARK)) return undefined;
  try {
    const line: Partial<RequestLine> = Object(JSON.parse(text.slice(REQUEST_MARK.length)));
    const { id, method, path, status, ms, bytes, skipped = 0 } = line;
    if (typeof method !== 'string' || typeof path !== 'string') return undefined;
    if (!isCount(status) || !isCount(ms) || !isCount(bytes) || !isCount(skipped)) return undefined;
    return { id: typeof id === 'string' ? id : null, method, path, status, ms, bytes, skipped };
  } catch {
    return undefined;
  }
}

/** @param prefix of the functions' names */
export function createAppRequests(call: Call, prefix: string): AppRequests {
  return {
    async read(applicationId, { from, to }) {
      const input = {
        logGroupName: `/aws/lambda/${prefix}${applicationId}`,
        queryString: `fields @timestamp, @message | filter @message like /^${REQUEST_MARK}/ | sort @timestamp desc`,
        startTime: Math.floor(from.getTime() / 1000),
        endTime: Math.ceil(to.getTime() / 1000),
        limit: MAX_REQUEST_LINES,
      };
      const rows = await queryInsights(call, input);
      return rows.flatMap((row) => {
        const line = parseRequestLine((row.get('@message') ?? '').trimEnd());
        return line ? [{ ...line, at: new Date(`${row.get('@timestamp')?.replace(' ', 'T')}Z`) }] : [];
      });
    },
  };
}
