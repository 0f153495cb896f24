/** A time range of a log, as in its URL. */
export interface LogWindow {
  /** ISO 8601 in UTC. */
  from: string;
  to: string;
}

/** Returns the URL of an application's log between two times in milliseconds, optionally only the lines of one request. */
export const logsBetween = (appId: string, from: number, to: number, requestId?: string | null): string =>
  `/apps/${appId}/logs?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}${requestId ? `&request=${requestId}` : ''}`;

/** Parses the time range in a URL; undefined if it is missing or invalid. */
export function parseLogWindow(search: URLSearchParams): LogWindow | undefined {
  const [from, to] = [Date.parse(search.get('from') ?? ''), Date.parse(search.get('to') ?? '')];
  return from < to ? { from: new Date(from).toISOString(), to: new Date(to).toISOString() } : undefined;
}

/** Severity of a log line. A line that names none counts as `info`. */
export type LogLevel = 'error' | 'warning' | 'info';

const JSON_LEVEL = /"(?:level|severity|levelname)"\s*:\s*"?(\w+)"?/i;
/** pino's and bunyan's levels. */
const NUMERIC_ERROR = 50;
const NUMERIC_WARNING = 40;

/** Returns the severity that a line names: in JSON (`"level": "error"`, also pino's numbers), or as a word at its beginning. */
export function levelOf(text: string): LogLevel {
  const named = text.startsWith('{') ? JSON_LEVEL.exec(text)?.[1] : undefined;
  if (named !== undefined && /^\d+$/.test(named)) {
    if (Number(named) >= NUMERIC_ERROR) return 'error';
    return Number(named) >= NUMERIC_WARNING ? 'warning' : 'info';
  }
  const words = named ?? text.slice(0, 60);
  if (/\b(\w*Error|ERROR|error|fatal|FATAL|critical|CRITICAL|Uncaught|UnhandledPromiseRejection)\b/.test(words))
    return 'error';
  if (/\b(warn|WARN|warning|Warning|WARNING)\b/.test(words)) return 'warning';
  return 'info';
}
