import { isAwsError } from '../aws-errors.ts';
import { parseLine } from './requests.ts';

/** Run-time logs of applications: CloudWatch Logs, with one group per application's function. */

/** Days after which a line goes. */
export const APP_LOG_DAYS = 30;
/** A page of CloudWatch's may be empty while it looks on; so many are asked for before what is there is answered. */
const MAX_PAGES = 10;

export interface AppLogLine {
  /** Position of the line; a reader passes it to continue after it. */
  id: string;
  at: Date;
  text: string;
  /** The request in whose course the line was printed; null for others, and for releases from before lines had one. */
  requestId: string | null;
}

export interface AppLogs {
  /** Makes a place for an application's lines, with the time that they are kept; one that is there is no error. */
  prepare(applicationId: string): Promise<void>;
  /**
   * Lines in the order they were printed: after one that is known, or since a time; until a time, if one is given.
   * @returns as `reached` the id behind which to go on. It may be the one of a line of the platform's own, which are left out: a
   * busy application has many of them between its lines. Undefined where there was none.
   */
  read(
    applicationId: string,
    from: { after: string | undefined; since: Date; until?: Date | undefined; limit: number },
  ): Promise<{ lines: AppLogLine[]; more: boolean; reached: string | undefined }>;
  /**
   * Returns the last lines that one release printed, oldest first, of those that have arrived.
   * @param at the time of the output: a release's lines of another day are not found
   */
  tail(applicationId: string, release: string, at: Date, count: number): Promise<string[]>;
  /** Deletes all of them. */
  remove(applicationId: string): Promise<void>;
}

/** CloudWatch's rate of reads is used up for the moment. */
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
/** An event with its position among the lines. */
type Placed = Event & { id: string };
type Call = <Output>(operation: string, input: object, options?: { attempts: number }) => Promise<Output>;

/** Attempts of a change: releases at once share a rate of five a second. Reads are repeated by their readers. */
const WRITE = { attempts: 9 };
const READ = { attempts: 1 };
/** Of a step that quotes the log of a failed release: no reader repeats it. */
const TAIL = { attempts: 6 };

/** The platform's own lines, between those of the application: Lambda's, and one for each request (./requests.ts). */
const PLATFORM =
  /^REQUEST \{|^(START|END|REPORT|INIT_START|INIT_REPORT|EXTENSION|LOGS)\b.*(RequestId|Version|Name|State)/;
/** Both parts of an id have as many digits always: the time first, then the place. */
const order = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
const place = (event: Event): Placed => ({ ...event, id: `${event.timestamp}-${event.eventId}` });
const toLine = ({ id, timestamp, message }: Placed): AppLogLine => ({
  id,
  at: new Date(timestamp),
  ...parseLine(message.replace(/\r?\n$/, '')),
});

/** Reads the pages of a search one after another, until there is none or {@link MAX_PAGES}. */
async function* readPages(search: (input: object) => Promise<Events | undefined>, asked: object): AsyncGenerator<Page> {
  let nextToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found: Events | undefined = await search({ ...asked, ...(nextToken ? { nextToken } : {}) });
    nextToken = found?.nextToken;
    yield { events: found?.events ?? [], more: nextToken !== undefined };
    if (nextToken === undefined) return;
  }
}

/** Reads the application's own lines of pages, until there are more than `limit`. `reached` is the greatest id of any line. */
async function collectLines(pages: AsyncIterable<Page>, isKnown: (event: Placed) => boolean, limit: number) {
  const lines: AppLogLine[] = [];
  let reached: string | undefined;
  let more = false;
  for await (const page of pages) {
    const found = page.events.map(place).filter((event) => !isKnown(event));
    for (const { id } of found) if (reached === undefined || id > reached) reached = id;
    lines.push(...found.filter(({ message }) => !PLATFORM.test(message)).map(toLine));
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
  /** `undefined` where there is no such group. */
  const unlessAbsent = async <T>(answer: Promise<T>): Promise<T | undefined> => {
    try {
      return await answer;
    } catch (error) {
      if (isAwsError(error, 'ResourceNotFoundException')) return undefined;
      throw error;
    }
  };

  const search = (input: object, options: { attempts: number }): Promise<Events | undefined> =>
    unlessAbsent(call<Events>('FilterLogEvents', input, options));
  /** A search whose caller repeats what met the rate, and not at once: a repetition of its own would be refused too. */
  const searchOnce = async (input: object): Promise<Events | undefined> => {
    try {
      return await search(input, READ);
    } catch (cause) {
      if (!isAwsError(cause, 'ThrottlingException')) throw cause;
      throw new LogsThrottled('CloudWatch Logs refused a read: its rate is used up', { cause });
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
      // The group is usually there, and these calls show it.
      if (await unlessAbsent(Promise.all([retain(), call('TagResource', { resourceArn, tags }, WRITE)]))) return;
      try {
        await call('CreateLogGroup', { ...group, tags }, WRITE);
      } catch (error) {
        if (!isAwsError(error, 'ResourceAlreadyExistsException')) throw error;
      }
      await retain();
    },

    async read(applicationId, { after, since, until, limit }) {
      const known = after === undefined ? since.getTime() : Number(after.split('-')[0]);
      const end = until ? { endTime: until.getTime() } : {};
      const asked = { ...groupOf(applicationId), startTime: known, ...end, limit: limit + 100 };
      const isKnown = ({ id, timestamp }: Placed) => after !== undefined && timestamp === known && id <= after;
      const { lines, reached, more } = await collectLines(readPages(searchOnce, asked), isKnown, limit);
      const isCut = lines.length > limit;
      const kept = lines.sort(order).slice(0, limit);
      return { lines: kept, more: more || isCut, reached: isCut ? kept.at(-1)?.id : reached };
    },

    async tail(applicationId, release, at, count) {
      // Lambda names streams by day and version: `2026/01/31/[7]1f0c…`.
      const day = at.toISOString().slice(0, 10).replaceAll('-', '/');
      const asked = { ...groupOf(applicationId), logStreamNamePrefix: `${day}/[${release}]` };
      let lines: string[] = [];
      for await (const { events } of readPages((input) => search(input, TAIL), asked)) {
        const own = events.filter(({ message }) => !PLATFORM.test(message));
        const found = own.flatMap(({ message }) => parseLine(message).text.split('\n'));
        lines = lines.concat(found.filter((line) => line.trim() !== '')).slice(-count);
      }
      return lines;
    },

    async remove(applicationId) {
      await unlessAbsent(call('DeleteLogGroup', groupOf(applicationId), WRITE));
    },
  };
}
