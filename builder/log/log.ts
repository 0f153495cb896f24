import { SECTION } from '../../contract/deployments/build-log.ts';
import { LIMITS } from '../../contract/limits/limits.ts';
import { findLastTime, formatMark, stripMarks } from '../../providers/builds/build-log.ts';

/** Minimum interval between two timestamps, in milliseconds. */
const TIMESTAMP_INTERVAL_MS = 100;
/** Space for the timestamps of a half-hour build, in bytes. */
const TIMESTAMP_BYTES = 256 * 1024;
/** Maximum size of the log in bytes, including the mark of a cut: its text must fit into an API response. */
const MAX_LOG_BYTES = LIMITS.buildLogKib.amounts * 1024 + TIMESTAMP_BYTES;
/** A longer log keeps this many bytes of its beginning, which shows the steps, and its end, which shows the failure. */
const HEAD_BYTES = 1024 * 1024;
const MARK = '[… the middle of this log was left out …]\n';
const TAIL_BYTES = MAX_LOG_BYTES - HEAD_BYTES - Buffer.byteLength(MARK) - 64;
const STORE_INTERVAL_MS = 1000;

/** The log of one build. It is kept in memory and stored periodically while it grows. */
export interface BuildLog {
  /** Adds text unchanged. */
  write(text: string): void;
  /** Starts a section: `==> title`. */
  section(title: string): void;
  /** Adds an indented line of the builder. */
  note(line: string): void;
  /** Stores the log for the last time. */
  close(): Promise<void>;
}

/**
 * Creates a build log.
 * @param store stores the complete log; called about once per second while the log changes, never concurrently
 */
export function createBuildLog(store: (text: Buffer) => Promise<void>, periodMs = STORE_INTERVAL_MS): BuildLog {
  const text = createTruncatedBuffer();
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
  // Scheduled after the previous call has finished, so that calls to a slow store do not overlap.
  const schedule = (delayMs: number): void => {
    timer = setTimeout(() => {
      save()
        .catch((error: unknown) => console.error('the log could not be stored', error))
        .finally(() => closed || schedule(periodMs));
    }, delayMs);
    timer.unref();
  };
  schedule(periodMs / 10);

  let lastTimestamp = 0;
  const write = (raw: string): void => {
    const piece = stripMarks(raw);
    if (piece === '') return;
    // Adds a timestamp to the first line that starts in this piece if the last timestamp is old enough.
    const start = atLineStart ? 0 : piece.indexOf('\n') + 1;
    const now = Date.now();
    if ((atLineStart || start > 0) && start < piece.length && now - lastTimestamp >= TIMESTAMP_INTERVAL_MS) {
      lastTimestamp = now;
      text.add(Buffer.from(piece.slice(0, start) + formatMark(now) + piece.slice(start)));
    } else text.add(Buffer.from(piece));
    atLineStart = piece.endsWith('\n');
    changed = true;
  };
  const line = (content: string): void => write(`${atLineStart ? '' : '\n'}${content}\n`);
  return {
    write,
    section: (title) => line(SECTION + title),
    note: (content) => line(`    ${content}`),
    async close() {
      closed = true;
      clearTimeout(timer);
      await save();
    },
  };
}

/** Creates a buffer that keeps only the beginning and the end of what is added, cut at nearby line ends. */
function createTruncatedBuffer() {
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let isTruncated = false;
  /** Number of lines that were cut, and the time of the last cut line with a timestamp. */
  let droppedLines = 0;
  let time = 0;

  const add = (piece: Buffer): void => {
    const capacity = tailBytes === 0 ? HEAD_BYTES - headBytes : 0;
    const first = piece.length <= capacity ? piece : piece.subarray(0, lineEnd(piece, capacity));
    if (first.length > 0) head.push(first);
    headBytes += first.length;
    if (first.length === piece.length) return;
    tail.push(piece.subarray(first.length));
    tailBytes += piece.length - first.length;
    // Not for every piece, because joining copies everything.
    if (tailBytes > 2 * TAIL_BYTES) shorten();
  };
  const shorten = (): void => {
    const all = Buffer.concat(tail);
    const kept = all.length > TAIL_BYTES ? trimToTail(all) : all;
    if (all.length > TAIL_BYTES) {
      isTruncated = true;
      const dropped = all.toString('latin1', 0, all.length - kept.length);
      droppedLines += dropped.split('\n').length - 1;
      time = findLastTime(dropped) ?? time;
    }
    tail = [kept];
    tailBytes = kept.length;
  };
  return {
    add,
    bytes(): Buffer {
      shorten();
      if (!isTruncated) return Buffer.concat([...head, ...tail]);
      // If the head ends within a line, the rest of that line is cut, which does not count as a further line.
      const endsWithLine = head.at(-1)?.at(-1) === 10;
      const cut = endsWithLine
        ? formatMark(time, droppedLines)
        : `\n${formatMark(time, Math.max(1, droppedLines - 1))}`;
      return Buffer.concat([...head, Buffer.from(cut + MARK), ...tail]);
    },
  };
}

/** Returns the position after the last line end before `limit`, or 0 if there is none. */
const lineEnd = (bytes: Buffer, limit: number): number => (limit <= 0 ? 0 : bytes.lastIndexOf(10, limit - 1) + 1);

/** Returns at most the last TAIL bytes, starting at a line or at least at a character. */
function trimToTail(bytes: Buffer): Buffer {
  let start = bytes.length - TAIL_BYTES;
  const newline = bytes.indexOf(10, start);
  if (newline >= 0 && newline - start < 4096) return bytes.subarray(newline + 1);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
