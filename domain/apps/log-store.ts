import { type AppLogLine, type AppLogs, LogsThrottled } from '../../providers/app-host/logs.ts';
import { fromItem } from '../../table/attributes.ts';
import { LogPage, logPagesOf } from '../../table/entities/apps.ts';
import { DAY, epoch } from '../../table/entity.ts';
import { type Change, type Condition, unchanged } from '../../table/expressions.ts';
import { upsert } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { itemsThatFit } from '../response-size.ts';
import { HOUR_MS, MINUTE_MS, millisecondsBetween, timestampAfter } from '../time.ts';
import { fromText, positionOfLine, positionOfTime, rangeFrom, toText } from './log-lines.ts';

/**
 * The store of run-time logs that are being viewed (docs/decisions/0064-edge-cache.md): pages of lines in the table. The first viewer
 * that needs a page reads it from CloudWatch, for all others. Together, all viewers of an application cause one read at a time and at
 * most one per {@link FRESH_MS}. An application without viewers causes no reads.
 */

/** Minimum time between two reads of the end of a log, in milliseconds. */
const FRESH_MS = 1500;
/** Time after which another viewer may take over an unfinished read, in milliseconds. */
const LEASE_MS = 6000;
/** Time without reads of a page after CloudWatch throttled one, in milliseconds. */
const THROTTLED_MS = 5000;
/** Polling of viewers that wait for another viewer's read: the pause between two polls in milliseconds, and their number. */
const PAUSE_MS = 150;
const MAX_PAUSES = 45;
/** Lines per read from CloudWatch. */
const PAGE_LINES = 1000;
/** Rounds of one request that finds only lines of the platform, which it skips: a round makes up to ten reads of CloudWatch. */
const MAX_ROUNDS = 5;
/** Pages per query of the table. */
const PAGES_PER_QUERY = 40;
/** Age after which lines are settled, in milliseconds: before, CloudWatch may still receive earlier lines, late and out of order. */
const SETTLED_MS = MINUTE_MS;
/** Lifetime of a page that was read with lines that were not settled, in milliseconds. */
const UNSETTLED_LIFETIME_MS = MINUTE_MS;
const SETTLED_LIFETIME_MS = HOUR_MS;

/** A page of a log, with its lines decompressed. */
interface Page extends Pick<LogPage, 'start' | 'end' | 'at'> {
  lines: readonly AppLogLine[];
  more: boolean;
}

type StoreDeps = Pick<Deps, 'table' | 'now'>;
interface Log {
  deps: StoreDeps;
  appLogs: Pick<AppLogs, 'read'>;
  applicationId: string;
}

const toPage = ({ start, end, at, lines, more = false }: LogPage): Page => ({
  start,
  end,
  at,
  more,
  lines: lines === undefined ? [] : fromText(lines),
});
const isBeingRead = ({ readingUntil = '' }: LogPage, now: Date) => readingUntil > now.toISOString();
const age = ({ at }: { at: string }, now: Date) => millisecondsBetween(now, at);

/** True if the page has been read and has not expired. */
function isUsable(page: LogPage | undefined, now: Date): page is LogPage {
  if (page?.lines === undefined) return false;
  const isSettled = page.end === undefined || Date.parse(page.at) - Number(page.end.slice(0, 15)) > SETTLED_MS;
  return age(page, now) < (isSettled ? SETTLED_LIFETIME_MS : UNSETTLED_LIFETIME_MS);
}

/** True if a position is on the page, or in the time after its last line for which the read found no lines. */
function covers({ start, end, more = false, at }: LogPage, position: string): boolean {
  const wasEmptyUntil = positionOfTime(new Date(at));
  return position === start || (end !== undefined && position < end) || (!more && position <= wasEmptyUntil);
}

/** Changes a page under a condition. Returns false if another reader changed it first. */
async function changePage({ deps, applicationId }: Log, start: string, update: Change): Promise<boolean> {
  const write = upsert(LogPage, { applicationId, start }, update, concurrentUpdate);
  return (await ignoreConflict(deps.table.write(LogPage, write))) !== undefined;
}

/** Returns the condition that no viewer has read the page, or begun to, since it was seen. */
const asSeen = ({ at, readingUntil }: LogPage): Record<string, Condition> => ({
  at: { is: at },
  readingUntil: unchanged(readingUntil),
});

/** Reads a page from CloudWatch under its lease. Returns undefined if another viewer holds the lease. */
async function readWithLease(log: Log, start: string, seen: LogPage | undefined): Promise<Page | undefined> {
  const { deps, appLogs, applicationId } = log;
  const now = deps.now();
  const at = now.toISOString();
  const readingUntil = timestampAfter(now, LEASE_MS);
  const isLeased = await changePage(log, start, {
    set: {
      ...(seen ? {} : { applicationId, start, at, entityVersion: LogPage.version }),
      readingUntil,
      expiresAtEpoch: epoch(at) + DAY,
    },
    when: seen ? asSeen(seen) : { pk: 'absent' },
  });
  if (!isLeased) return undefined;
  const releaseLease = ({ set = {}, remove = [] }: Change) =>
    changePage(log, start, {
      set,
      remove: ['readingUntil', 'refusedUntil', ...remove].filter((name) => !Object.hasOwn(set, name)),
      when: { readingUntil: { is: readingUntil } },
    });
  try {
    const read = await appLogs.read(applicationId, { ...rangeFrom(start), limit: PAGE_LINES });
    const { text, kept: lines } = toText(read.lines);
    const isCut = lines.length < read.lines.length;
    const more = read.more || isCut;
    const reached = isCut ? lines.at(-1)?.id : read.reached;
    const end = reached === undefined ? undefined : positionOfLine(reached);
    await releaseLease({ set: { lines: text, more, at, ...(end ? { end } : {}) }, remove: end ? [] : ['end'] });
    return { start, end, at, lines, more };
  } catch (error) {
    const refusedUntil = timestampAfter(deps.now(), THROTTLED_MS);
    await releaseLease(error instanceof LogsThrottled ? { set: { refusedUntil } } : {});
    throw error;
  }
}

/** Returns a page that was read less than {@link FRESH_MS} ago. Reads it, or waits for the viewer that is reading it. */
async function freshPage(log: Log, start: string, seen: LogPage | undefined): Promise<Page> {
  const { deps, applicationId } = log;
  let known = seen;
  for (let pauses = 0; pauses < MAX_PAUSES; ) {
    const now = deps.now();
    if (known?.refusedUntil && known.refusedUntil > now.toISOString())
      throw new LogsThrottled('CloudWatch Logs recently refused a read of this log');
    if (known && isBeingRead(known, now)) {
      pauses += 1;
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    } else if (isUsable(known, now) && age(known, now) < FRESH_MS) {
      return toPage(known);
    } else {
      const page = await readWithLease(log, start, known);
      if (page) return page;
    }
    known = await deps.table.get(LogPage, { applicationId, start });
  }
  throw new LogsThrottled('another viewer’s read of this log takes too long');
}

/** Returns the page that contains a position: a stored page, or one read from that position on. */
async function pageAt(log: Log, position: string): Promise<{ page: Page; isFresh: boolean }> {
  const { deps, applicationId } = log;
  // The position with a space appended is the smallest text after it, so that a page that starts there is included.
  const range = { before: `${position} `, pageSize: 1 };
  let stored: LogPage | undefined;
  for await (const found of deps.table.newest(LogPage, logPagesOf(applicationId), range)) {
    stored = found;
    break;
  }
  const now = deps.now();
  if (isUsable(stored, now) && covers(stored, position)) {
    if (stored.end !== undefined) return { page: toPage(stored), isFresh: age(stored, now) < FRESH_MS };
    return { page: await freshPage(log, stored.start, stored), isFresh: true };
  }
  const startsHere = stored?.start === position ? stored : undefined;
  return { page: await freshPage(log, position, startsHere), isFresh: true };
}

/** Returns the stored pages that follow a page without a gap. `isCut` is true if more may follow. */
async function pagesAfter({ deps, applicationId }: Log, page: Page): Promise<{ pages: LogPage[]; isCut: boolean }> {
  const pk = logPagesOf(applicationId);
  const { items, next: isCut } = await deps.table.partition(pk, {
    limit: PAGES_PER_QUERY,
    after: { pk, sk: page.start },
  });
  const pages: LogPage[] = [];
  let { end } = page;
  for (const item of items) {
    const next = LogPage.parse(fromItem(item));
    if (next.start !== end || !isUsable(next, deps.now())) continue;
    pages.push(next);
    if (next.end === undefined) break;
    end = next.end;
  }
  return { pages, isCut: isCut !== undefined && pages.length > 0 };
}

/** A request for lines, and the lines found so far. */
interface Reading {
  /** Only lines after this position are returned. */
  position: string;
  /** Only lines up to this time are returned. */
  until: Date | undefined;
  limit: number;
  found: AppLogLine[];
  last: Page;
  /** True if the last page was read less than {@link FRESH_MS} ago. */
  isFresh: boolean;
}

/** Adds the requested lines of a page to the result. */
function collectLines(reading: Reading, page: Page): void {
  const { position, until, found } = reading;
  for (const line of page.lines)
    if (positionOfLine(line.id) > position && !(until && line.at > until)) found.push(line);
  reading.last = page;
}

/** True if no further requested lines can follow. */
function isComplete({ until, limit, found, last: { end, more, at } }: Reading): boolean {
  if (found.length > limit) return true;
  if (until === undefined) return false;
  const endsAfter = end !== undefined && end > `${positionOfTime(until)}~`;
  return endsAfter || (!more && Date.parse(at) > until.getTime() + SETTLED_MS);
}

/** Reads the next stored pages or the end of the log. Returns undefined to continue; once done, true if more lines may follow. */
async function readNextPages(log: Log, reading: Reading, round: number): Promise<boolean | undefined> {
  if (isComplete(reading)) return false;
  const { found, last, isFresh } = reading;
  if (isFresh && (!last.more || found.length > 0 || last.end === undefined)) return last.more;
  if (round > MAX_ROUNDS) return true;
  const { pages, isCut } = await pagesAfter(log, last);
  for (const stored of pages) collectLines(reading, toPage(stored));
  if (isComplete(reading)) return false;
  if ((isCut || reading.last.more) && found.length > 0) return true;
  reading.isFresh = !isCut;
  return isCut ? undefined : await readEnd(log, reading, pages.at(-1));
}

/** Reads the end of the log. Returns true, with the lines found before, if CloudWatch throttles the read. */
async function readEnd(log: Log, reading: Reading, stored: LogPage | undefined): Promise<true | undefined> {
  const { start, end } = reading.last;
  const openPage = stored && stored.end === undefined ? stored : undefined;
  try {
    collectLines(reading, await freshPage(log, end ?? start, openPage));
    return undefined;
  } catch (error) {
    if (!(error instanceof LogsThrottled) || reading.found.length === 0) throw error;
    return true;
  }
}

/**
 * Reads lines of an application's log, in their order.
 * @param request.position only lines after this position are returned
 * @param request.until only lines up to this time are returned
 * @throws {LogsThrottled} when CloudWatch throttles reads, or another viewer's read takes too long
 */
export async function readLog(
  log: Log,
  request: Pick<Reading, 'position' | 'until' | 'limit'>,
): Promise<{ lines: AppLogLine[]; more: boolean }> {
  const { page, isFresh } = await pageAt(log, request.position);
  const reading: Reading = { ...request, found: [], last: page, isFresh };
  collectLines(reading, page);
  let more: boolean | undefined;
  for (let round = 1; more === undefined; round += 1) more = await readNextPages(log, reading, round);
  const lines = itemsThatFit(reading.found, request.limit);
  return { lines, more: reading.found.length > lines.length || more };
}
