import { type Call, queryInsights } from './insights.ts';

/**
 * Single requests of applications. An application's process prints a line for each request (builder/app-runtime/request-log.ts), and
 * Logs Insights finds these lines.
 */

/** The start of a request's line, followed by JSON. */
export const REQUEST_MARK = 'REQUEST ';
/** The mark before a line that was printed during a request: 14 bytes, of which 8 are the request's id. */
export const lineMark = (id: string): string => `#req=${id} `;
const LINE_MARK = /^#req=([\w-]{8}) /;
const LINE_MARKS = /^#req=[\w-]{8} /gm;

/** Returns an application's output without marks, and the id of the request during which it was printed. */
export const parseLine = (printed: string): { text: string; requestId: string | null } => ({
  text: printed.replace(LINE_MARKS, ''),
  requestId: LINE_MARK.exec(printed)?.[1] ?? null,
});

/** Maximum requests of one read: the newest ones. */
export const MAX_REQUEST_LINES = 5000;

export interface RequestLine {
  /** The id that the request's lines carry; null for releases older than this feature. */
  id: string | null;
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  /** Duration in the application, in milliseconds. */
  ms: number;
  /** Bytes of the response, with its headers. */
  bytes: number;
  /** Number of requests before this one that have no line, because there were too many in a minute. */
  skipped: number;
}

export interface LoggedRequest extends RequestLine {
  /** Time at which the request ended. */
  at: Date;
}

export interface AppRequests {
  /** Returns the newest requests of a span, newest first. Throws `MetricsThrottled`. */
  read(applicationId: string, span: { from: Date; to: Date }): Promise<LoggedRequest[]>;
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** Parses the line of a request. Returns undefined for any other line, such as an imitation that the application printed. */
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
