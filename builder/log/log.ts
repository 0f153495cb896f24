import { lastTimeIn, markOf, withoutMarks } from '../../providers/builds/build-log.ts';

/** How often a line is given a time, in milliseconds. */
const TIME_STEP = 100;
/** Room for the times of a build of half an hour, in bytes. */
const TIMES = 256 * 1024;
/** The whole log, in bytes, with the cut marked: an answer of the API must hold its text. */
const LONGEST = 4 * 1024 * 1024 + TIMES;
/** Of a longer one the beginning says what was done, the end says what went wrong. */
const HEAD = 1024 * 1024;
const MARK = '[… the middle of this log was left out …]\n';
const TAIL = LONGEST - HEAD - Buffer.byteLength(MARK) - 64;
const PERIOD_MS = 1000;

/** The log of one build: kept in memory, stored again and again while it grows. */
export interface BuildLog {
  /** Adds text as it is. */
  write(text: string): void;
  /** Begins a section: `==> title`. */
  section(title: string): void;
  /** Adds an indented line of the builder's own. */
  note(line: string): void;
  /** Stores it for the last time. */
  close(): Promise<void>;
}

/** @param store keeps the whole log under its name; called about once a second while it changes, never twice at once */
export function createBuildLog(store: (text: Buffer) => Promise<void>, periodMs = PERIOD_MS): BuildLog {
  const text = createClipped();
  let atLineStart = true;
  let changed = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();

  const save = (): Promise<void> => {
    storing = storing
      .catch(() => {})
      .then(async () => {
        if (!changed) return;
        changed = false;
        try {
          await store(text.bytes());
        } catch (error) {
          changed = true;
          throw error;
        }
      });
    return storing;
  };
  // The next time comes after this one is done: a slow store is not asked faster than it can answer.
  const schedule = (delayMs: number): void => {
    timer = setTimeout(() => {
      save()
        .catch((error: unknown) => console.error('the log was not stored', error))
        .finally(() => closed || schedule(periodMs));
    }, delayMs);
    timer.unref();
  };
  schedule(periodMs / 10);

  let marked = 0;
  const write = (raw: string): void => {
    const piece = withoutMarks(raw);
    if (piece === '') return;
    // The first line that begins in this piece; its time is told when the last told one is some time ago.
    const start = atLineStart ? 0 : piece.indexOf('\n') + 1;
    const now = Date.now();
    if ((atLineStart || start > 0) && start < piece.length && now - marked >= TIME_STEP) {
      marked = now;
      text.add(Buffer.from(piece.slice(0, start) + markOf(now) + piece.slice(start)));
    } else text.add(Buffer.from(piece));
    atLineStart = piece.endsWith('\n');
    changed = true;
  };
  const line = (content: string): void => write(`${atLineStart ? '' : '\n'}${content}\n`);
  return {
    write,
    section: (title) => line(`==> ${title}`),
    note: (content) => line(`    ${content}`),
    async close() {
      closed = true;
      clearTimeout(timer);
      await save();
    },
  };
}

/** Bytes of which only the beginning and the end are kept, cut at line ends where there are any near. */
function createClipped() {
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let clipped = false;
  /** Lines that were left out, and when the last of them whose time is known began. */
  let skipped = 0;
  let time = 0;

  const add = (piece: Buffer): void => {
    const room = tailBytes === 0 ? HEAD - headBytes : 0;
    const first = piece.length <= room ? piece : piece.subarray(0, lineEnd(piece, room));
    if (first.length > 0) head.push(first);
    headBytes += first.length;
    if (first.length === piece.length) return;
    tail.push(piece.subarray(first.length));
    tailBytes += piece.length - first.length;
    // Not at every piece: joining costs as much as there is.
    if (tailBytes > 2 * TAIL) shorten();
  };
  const shorten = (): void => {
    const all = Buffer.concat(tail);
    const kept = all.length > TAIL ? lastBytes(all) : all;
    if (all.length > TAIL) {
      clipped = true;
      const gone = all.toString('latin1', 0, all.length - kept.length);
      skipped += gone.split('\n').length - 1;
      time = lastTimeIn(gone) ?? time;
    }
    tail = [kept];
    tailBytes = kept.length;
  };
  return {
    add,
    bytes(): Buffer {
      shorten();
      if (!clipped) return Buffer.concat([...head, ...tail]);
      // The head's last line may go on in what was left out: then its end is missing, and not one line more.
      const whole = head.at(-1)?.at(-1) === 10;
      const cut = whole ? markOf(time, skipped) : `\n${markOf(time, Math.max(1, skipped - 1))}`;
      return Buffer.concat([...head, Buffer.from(cut + MARK), ...tail]);
    },
  };
}

/** The place after the last line end before `limit`; 0 when there is none. */
const lineEnd = (bytes: Buffer, limit: number): number => (limit <= 0 ? 0 : bytes.lastIndexOf(10, limit - 1) + 1);

/** At most the last TAIL bytes, from the beginning of a line or at least of a character. */
function lastBytes(bytes: Buffer): Buffer {
  let start = bytes.length - TAIL;
  const newline = bytes.indexOf(10, start);
  if (newline >= 0 && newline - start < 4096) return bytes.subarray(newline + 1);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
