/** The whole log, in bytes, with the cut marked: an answer of the API must hold it. */
const LONGEST = 4 * 1024 * 1024;
/** Of a longer one the beginning says what was done, the end says what went wrong. */
const HEAD = 1024 * 1024;
const MARK = '\n[… the middle of this log was left out …]\n';
const TAIL = LONGEST - HEAD - Buffer.byteLength(MARK) - 16;
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

  const write = (piece: string): void => {
    if (piece === '') return;
    text.add(Buffer.from(piece));
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

  const add = (piece: Buffer): void => {
    const room = tailBytes === 0 ? HEAD - headBytes : 0;
    const first = piece.length <= room ? piece : piece.subarray(0, lineEnd(piece, room));
    head.push(first);
    headBytes += first.length;
    if (first.length === piece.length) return;
    tail.push(piece.subarray(first.length));
    tailBytes += piece.length - first.length;
    // Not at every piece: joining costs as much as there is.
    if (tailBytes > 2 * TAIL) shorten();
  };
  const shorten = (): void => {
    const all = Buffer.concat(tail);
    if (all.length > TAIL) clipped = true;
    tail = [all.length > TAIL ? lastBytes(all) : all];
    tailBytes = tail[0]?.length ?? 0;
  };
  return {
    add,
    bytes(): Buffer {
      shorten();
      return Buffer.concat([...head, ...(clipped ? [Buffer.from(MARK)] : []), ...tail]);
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
