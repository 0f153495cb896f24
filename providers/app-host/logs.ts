import { isAwsError, tolerate } from '../aws-errors.ts';
import { isPlatformLine } from './platform-lines.ts';
import { parseLine } from './requests.ts';

/** Run-time logs of applications: CloudWatch Logs, with one group per application's function. */

/** Retention of log lines, in days. */
export const APP_LOG_DAYS = 30;
/** Maximum pages of one read. CloudWatch may return empty pages while it continues to search. */
const MAX_PAGES = 10;

export interface AppLogLine {
  /** Position of the line. Readers pass it to continue after this line. */
  id: string;
  at: Date;
  text: string;
  /** The request during which the line was printed; null outside of requests, and for releases older than this feature. */
  requestId: string | null;
}

export interface AppLogs {
  /** Creates the log group of an application and sets its retention. An existing group is not an error. */
  prepare(applicationId: string): Promise<void>;
  /**
   * Returns lines in the order in which they were printed: after a known line or since a time, and until a time if one is given.
   * @returns `reached`: the id after which the next read continues. It may belong to a line of the platform, which is left out: a busy
   * application has many of these between its own lines. Undefined if no line was found.
   */
  read(
    applicationId: string,
    from: { after: string | undefined; since: Date; until?: Date | undefined; limit: number },
  ): Promise<{ lines: AppLogLine[]; more: boolean; reached: string | undefined }>;
  /**
   * Returns the last lines of a release that have arrived in the log, oldest first.
   * @param at the time of the output. Lines of another day are not found.
   */
  tail(applicationId: string, release: string, at: Date, count: number): Promise<string[]>;
  /** Deletes all lines of an application. */
  remove(applicationId: string): Promise<void>;
}

/** CloudWatch throttled a read. */
export class LogsThrottled extends Error {
  override readonly name = 'LogsThrottled';
}

interface Event {
  timestamp: number;
  eventId: string;
  message: string;
}
interface Events {
  events?: Event[];
  nextToken?: string;
}
interface Page {
  events: Event[];
  /** True if another page follows. */
  more: boolean;
}
/** An event with the id of its line. */
type IdentifiedEvent = Event & { id: string };
type Call = <Output>(operation: string, input: object, options?: { attempts: number }) => Promise<Output>;

/** Attempts of a change: concurrent releases share a rate of five a second. Reads are not retried here, because readers repeat them. */
const WRITE = { attempts: 9 };
const READ = { attempts: 1 };
/** Attempts of the step that quotes the log of a failed release, which no reader repeats. */
const TAIL = { attempts: 6 };

/** Compares ids as strings. That is correct because both parts, the time and the event id, have a fixed number of digits. */
const compareIds = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
const withId = (event: Event): IdentifiedEvent => ({ ...event, id: `${event.timestamp}-${event.eventId}` });
const toLine = ({ id, timestamp, message }: IdentifiedEvent): AppLogLine => ({
  id,
  at: new Date(timestamp),
  ...parseLine(message.replace(/\r?\n$/, '')),
});

/** Reads the pages of a search one after another, at most {@link MAX_PAGES}. */
async function* readPages(search: (input: object) => Promise<Events | undefined>, query: object): AsyncGenerator<Page> {
  let nextToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found: Events | undefined = await search({ ...query, ...(nextToken ? { nextToken } : {}) });
    nextToken = found?.nextToken;
    yield { events: found?.events ?? [], more: nextToken !== undefined };
    if (nextToken === undefined) return;
  }
}

/** Collects the application's lines from pages until there are more than `limit`. `reached` is the greatest id of all lines read. */
async function collectLines(pages: AsyncIterable<Page>, isKnown: (event: IdentifiedEvent) => boolean, limit: number) {
  const lines: AppLogLine[] = [];
  let reached: string | undefined;
  let more = false;
  for await (const page of pages) {
    const found = page.events.map(withId).filter((event) => !isKnown(event));
    for (const { id } of found) if (reached === undefined || id > reached) reached = id;
    lines.push(...found.filter(({ message }) => !isPlatformLine(message)).map(toLine));
    more = page.more;
    if (lines.length > limit) break;
  }
  return { lines, reached, more };
}

/**
 * @param prefix of the functions' names
 * @param arnPrefix of the functions' ARNs
 */
export function createAppLogs(call: Call, prefix: string, arnPrefix: string): AppLogs {
  const groupOf = (applicationId: string) => ({ logGroupName: `/aws/lambda/${prefix}${applicationId}` });
  /** Resolves to `undefined` if the log group does not exist. */
  const undefinedIfMissing = <T>(answer: Promise<T>): Promise<T | undefined> =>
    tolerate(answer, { ResourceNotFoundException: undefined });

  const search = (input: object, options: { attempts: number }): Promise<Events | undefined> =>
    undefinedIfMissing(call<Events>('FilterLogEvents', input, options));
  /** Searches without retries. Callers repeat a throttled search later; an immediate retry would be throttled again. */
  const searchOnce = async (input: object): Promise<Events | undefined> => {
    try {
      return await search(input, READ);
    } catch (cause) {
      if (!isAwsError(cause, 'ThrottlingException')) throw cause;
      throw new LogsThrottled('CloudWatch Logs throttled a read', { cause });
    }
  };

  return {
    async prepare(applicationId) {
      const group = groupOf(applicationId);
      const retain = () => call('PutRetentionPolicy', { ...group, retentionInDays: APP_LOG_DAYS }, WRITE);
      // The role of applications may create streams only in a group that has the calling function's ARN as its tag.
      const functionArn = arnPrefix + applicationId;
      const tags = { application: functionArn };
      const resourceArn = functionArn.replace(':lambda:', ':logs:').replace(':function:', ':log-group:/aws/lambda/');
      // The group usually exists; these calls succeed only if it does.
      if (await undefinedIfMissing(Promise.all([retain(), call('TagResource', { resourceArn, tags }, WRITE)]))) return;
      const creation = call('CreateLogGroup', { ...group, tags }, WRITE);
      await tolerate(creation, { ResourceAlreadyExistsException: undefined });
      await retain();
    },

    async read(applicationId, { after, since, until, limit }) {
      const known = after === undefined ? since.getTime() : Number(after.split('-')[0]);
      const end = until ? { endTime: until.getTime() } : {};
      const query = { ...groupOf(applicationId), startTime: known, ...end, limit: limit + 100 };
      const isKnown = ({ id, timestamp }: IdentifiedEvent) => after !== undefined && timestamp === known && id <= after;
      const { lines, reached, more } = await collectLines(readPages(searchOnce, query), isKnown, limit);
      const isCut = lines.length > limit;
      const kept = lines.sort(compareIds).slice(0, limit);
      return { lines: kept, more: more || isCut, reached: isCut ? kept.at(-1)?.id : reached };
    },

    async tail(applicationId, release, at, count) {
      // Lambda names streams by day and version: `2026/01/31/[7]1f0c…`.
      const day = at.toISOString().slice(0, 10).replaceAll('-', '/');
      const query = { ...groupOf(applicationId), logStreamNamePrefix: `${day}/[${release}]` };
      let lines: string[] = [];
      for await (const { events } of readPages((input) => search(input, TAIL), query)) {
        const printed = events.filter(({ message }) => !isPlatformLine(message));
        const found = printed.flatMap(({ message }) => parseLine(message).text.split('\n'));
        lines = lines.concat(found.filter((line) => line.trim() !== '')).slice(-count);
      }
      return lines;
    },

    async remove(applicationId) {
      await undefinedIfMissing(call('DeleteLogGroup', groupOf(applicationId), WRITE));
    },
  };
}
