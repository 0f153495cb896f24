/** One server-sent event. `data` is its JSON as bytes; a frame of only comments has neither data nor event. */
export interface SseFrame {
  event: string;
  data: Buffer;
}

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);
const DATA = Buffer.from('data:');
/** Maximum length of a frame, in bytes. A stream with a longer frame is not an event stream. */
const MAX_FRAME_BYTES = 32 * 1024 * 1024;

/**
 * Splits a byte stream, which arrives in arbitrary pieces, into frames. A frame ends at a blank line, with LF or CRLF. Each byte is scanned
 * once, and joined once when its frame is complete. Only complete frames are decoded, so multi-byte characters stay intact.
 */
export class SseSplitter {
  /** The pieces of the incomplete frame, and their length in bytes. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** Position after the last byte: in a line, at the start of a line, or after a CR at the start of a line. */
  #at: 'line' | 'start' | 'start-cr' = 'start';
  #first = true;
  /** True if the provider sends one endless frame instead of events. */
  isOverlong = false;

  /** Returns the frames that this piece completes. */
  push(piece: Buffer): SseFrame[] {
    const frames: SseFrame[] = [];
    let from = 0;
    let index = 0;
    while (index < piece.length) {
      if (this.#at === 'line') {
        const lf = piece.indexOf(LF, index);
        if (lf < 0) break;
        index = lf + 1;
        this.#at = 'start';
        continue;
      }
      const byte = piece[index];
      index += 1;
      if (byte === LF) {
        this.#completeFrame(piece.subarray(from, index), frames);
        from = index;
        this.#at = 'start';
      } else this.#at = byte === CR && this.#at === 'start' ? 'start-cr' : 'line';
    }
    if (from < piece.length) this.#keep(from === 0 ? piece : piece.subarray(from));
    return frames;
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    this.isOverlong ||= this.#length > MAX_FRAME_BYTES;
    if (!this.isOverlong) this.#pieces.push(piece);
  }

  #completeFrame(piece: Buffer, frames: SseFrame[]): void {
    let bytes = piece;
    if (this.#pieces.length > 0) {
      bytes = Buffer.concat([...this.#pieces, piece]);
      this.#pieces = [];
      this.#length = 0;
    }
    if (this.#first) {
      this.#first = false;
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
    }
    const frame = parseFrame(bytes);
    if (frame) frames.push(frame);
  }
}

/** Returns the start of a field's value: one space after the colon is not part of it. */
const valueStart = (bytes: Buffer, colon: number): number => (bytes[colon + 1] === 32 ? colon + 2 : colon + 1);

/** Parses a complete frame, including its line ends. Returns undefined for a blank line. */
function parseFrame(bytes: Buffer): SseFrame | undefined {
  const lf = bytes.indexOf(LF);
  const end = bytes[lf - 1] === CR ? lf - 1 : lf;
  if (end <= 0) return undefined;
  // Nearly all frames are one line of data.
  const oneLine = bytes.length - lf <= 3;
  if (oneLine && bytes.subarray(0, DATA.length).equals(DATA)) {
    return { event: '', data: bytes.subarray(valueStart(bytes, DATA.length - 1), end) };
  }
  return readLines(bytes.toString('utf8'));
}

/** Joins the lines of data by spaces in place of line breaks, which mean the same in JSON: the data is passed on as one line. */
function readLines(text: string): SseFrame {
  let event = '';
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return { event, data: data.length > 0 ? Buffer.from(data.join(' ')) : NOTHING };
}
