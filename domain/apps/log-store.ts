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
 * The platform's own store of run-time logs that are being viewed (docs/decisions/0064-edge-cache.md): pages of lines in the table,
 * each read from CloudWatch once, by the first viewer who needs it. All viewers of an application together cause one read at a time
 * and at most one in {@link FRESH_MS}; an application that has no viewer causes none.
 */

/** Time in milliseconds for which the end of a log is not read again. */
const FRESH_MS = 1500;
/** Time in milliseconds until another viewer reads what a reader did not finish. */
const LEASE_MS = 6000;
/** Time in milliseconds without reads of a page after CloudWatch refused one. */
const REFUSED_MS = 5000;
/** Wait of viewers for the one who reads: the pause between two looks in milliseconds, and their number. */
const PAUSE_MS = 150;
const MAX_PAUSES = 45;
/** Lines of one read. */
const PAGE_LINES = 1000;
/** Turns of one request that looks for a line among the platform's own: ten reads of CloudWatch each. */
const MAX_TURNS = 5;
/** Pages of one query: those of the last minute are small. */
const PAGES = 40;
/** Lines may reach CloudWatch some seconds late, out of order. So a page with lines of its last minute serves for a minute only. */
const SETTLED_MS = MINUTE_MS;
const UNSETTLED_LIFETIME_MS = MINUTE_MS;
const SETTLED_LIFETIME_MS = HOUR_MS;

/** A page with its lines. */
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

/** True if viewers may read the page. */
function isUsable(page: LogPage | undefined, now: Date): page is LogPage {
  if (page?.lines === undefined) return false;
  const isSettled = page.end === undefined || Date.parse(page.at) - Number(page.end.slice(0, 15)) > SETTLED_MS;
  return age(page, now) < (isSettled ? SETTLED_LIFETIME_MS : UNSETTLED_LIFETIME_MS);
}

/** True if a position is on the page, or in the time after its last line in which there was none when it was read. */
function covers({ start, end, more = false, at }: LogPage, position: string): boolean {
  const wasEmptyUntil = positionOfTime(new Date(at));
  return position === start || (end !== undefined && position < end) || (!more && position <= wasEmptyUntil);
}

/** Changes a page that is as the caller saw it. Returns false where another reader was first. */
async function changePage({ deps, applicationId }: Log, start: string, what: Change): Promise<boolean> {
  const write = upsert(LogPage, { applicationId, start }, what, concurrentUpdate);
  return (await ignoreConflict(deps.table.write(LogPage, write))) !== undefined;
}

/** The condition that a page is as it was seen: no viewer has read it since, or begun to. */
const asSeen = ({ at, readingUntil }: LogPage): Record<string, Condition> => ({
  at: { is: at },
  readingUntil: unchanged(readingUntil),
});

/** Reads a page from CloudWatch, as the only one of all viewers. Returns undefined where another is reading it. */
async function readAsOnlyOne(log: Log, start: string, seen: LogPage | undefined): Promise<Page | undefined> {
  const { deps, appLogs, applicationId } = log;
  const now = deps.now();
  const at = now.toISOString();
  const readingUntil = timestampAfter(now, LEASE_MS);
  const isMine = await changePage(log, start, {
    set: {
      ...(seen ? {} : { applicationId, start, at, entityVersion: LogPage.version }),
      readingUntil,
      expiresAtEpoch: epoch(at) + DAY,
    },
    when: seen ? asSeen(seen) : { pk: 'absent' },
  });
  if (!isMine) return undefined;
  const finish = ({ set = {}, remove = [] }: Change) =>
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
    await finish({ set: { lines: text, more, at, ...(end ? { end } : {}) }, remove: end ? [] : ['end'] });
    return { start, end, at, lines, more };
  } catch (error) {
    const refusedUntil = timestampAfter(deps.now(), REFUSED_MS);
    await finish(error instanceof LogsThrottled ? { set: { refusedUntil } } : {});
    throw error;
  }
}

/** Returns a page that was read less than {@link FRESH_MS} ago: by this viewer, or by another whom this one waits for. */
async function freshPage(log: Log, start: string, seen: LogPage | undefined): Promise<Page> {
  const { deps, applicationId } = log;
  let known = seen;
  for (let pauses = 0; pauses < MAX_PAUSES; ) {
    const now = deps.now();
    if (known?.refusedUntil && known.refusedUntil > now.toISOString())
      throw new LogsThrottled('CloudWatch Logs refused a read of this log a moment ago');
    if (known && isBeingRead(known, now)) {
      pauses += 1;
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    } else if (isUsable(known, now) && age(known, now) < FRESH_MS) {
      return toPage(known);
    } else {
      const page = await readAsOnlyOne(log, start, known);
      if (page) return page;
    }
    known = await deps.table.get(LogPage, { applicationId, start });
  }
  throw new LogsThrottled('another viewer’s read of this log takes too long');
}

/** Returns the page that a position is on: stored, or read from there. */
async function pageAt(log: Log, position: string): Promise<{ page: Page; isFresh: boolean }> {
  const { deps, applicationId } = log;
  // What follows the position closely is the text itself and a character more.
  const part = { before: `${position} `, pageSize: 1 };
  let stored: LogPage | undefined;
  for await (const found of deps.table.newest(LogPage, logPagesOf(applicationId), part)) {
    stored = found;
    break;
  }
  const now = deps.now();
  if (isUsable(stored, now) && covers(stored, position)) {
    if (stored.end !== undefined) return { page: toPage(stored), isFresh: age(stored, now) < FRESH_MS };
    return { page: await freshPage(log, stored.start, stored), isFresh: true };
  }
  const same = stored?.start === position ? stored : undefined;
  return { page: await freshPage(log, position, same), isFresh: true };
}

/** Returns the stored pages that follow one without a gap. */
async function pagesAfter({ deps, applicationId }: Log, page: Page): Promise<{ pages: LogPage[]; isCut: boolean }> {
  const pk = logPagesOf(applicationId);
  const { items, next: isCut } = await deps.table.partition(pk, { limit: PAGES, after: { pk, sk: page.start } });
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

/** A request for lines, and what is read for it so far. */
interface Reading {
  /** The lines are behind it. */
  position: string;
  /** The time after which lines are left out. */
  until: Date | undefined;
  limit: number;
  found: AppLogLine[];
  last: Page;
  /** True if the end of the log was read a moment ago. */
  isFresh: boolean;
}

function take(reading: Reading, page: Page): void {
  const { position, until, found } = reading;
  for (const line of page.lines)
    if (positionOfLine(line.id) > position && !(until && line.at > until)) found.push(line);
  reading.last = page;
}

/** True if nothing that is asked for can follow. */
function isOver({ until, limit, found, last: { end, more, at } }: Reading): boolean {
  if (found.length > limit) return true;
  if (until === undefined) return false;
  const endsAfter = end !== undefined && end > `${positionOfTime(until)}~`;
  return endsAfter || (!more && Date.parse(at) > until.getTime() + SETTLED_MS);
}

/** Reads on, as long as the answer is not complete. Returns then whether more lines may follow, otherwise undefined. */
async function readOn(log: Log, reading: Reading, turn: number): Promise<boolean | undefined> {
  if (isOver(reading)) return false;
  const { found, last, isFresh } = reading;
  if (isFresh && (!last.more || found.length > 0 || last.end === undefined)) return last.more;
  if (turn > MAX_TURNS) return true;
  const { pages, isCut } = await pagesAfter(log, last);
  for (const stored of pages) take(reading, toPage(stored));
  if (isOver(reading)) return false;
  if ((isCut || reading.last.more) && found.length > 0) return true;
  reading.isFresh = !isCut;
  return isCut ? undefined : await readEnd(log, reading, pages.at(-1));
}

/** Reads the end of the log. What was found before is an answer, too, where CloudWatch refuses the read. */
async function readEnd(log: Log, reading: Reading, stored: LogPage | undefined): Promise<true | undefined> {
  const { start, end } = reading.last;
  const open = stored && stored.end === undefined ? stored : undefined;
  try {
    take(reading, await freshPage(log, end ?? start, open));
    return undefined;
  } catch (error) {
    if (!(error instanceof LogsThrottled) || reading.found.length === 0) throw error;
    return true;
  }
}

/**
 * Reads lines of an application's log, in their order.
 * @param asked.position the lines are behind it
 * @param asked.until the time after which lines are left out
 * @throws {LogsThrottled} when CloudWatch's rate of reads is used up, or the read takes too long
 */
export async function readLog(
  log: Log,
  asked: Pick<Reading, 'position' | 'until' | 'limit'>,
): Promise<{ lines: AppLogLine[]; more: boolean }> {
  const { page, isFresh } = await pageAt(log, asked.position);
  const reading: Reading = { ...asked, found: [], last: page, isFresh };
  take(reading, page);
  let more: boolean | undefined;
  for (let turn = 1; more === undefined; turn += 1) more = await readOn(log, reading, turn);
  const lines = itemsThatFit(reading.found, asked.limit);
  return { lines, more: reading.found.length > lines.length || more };
}
