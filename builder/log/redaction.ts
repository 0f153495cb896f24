/** Shorter values are no secrets, and words like `on` or `1` would make a log unreadable. */
const SHORTEST = 4;
/** Of a value inside a longer base64 text, so many characters must be certain before they are taken for it. */
const SHORTEST_BASE64 = 6;
const MASK = '[redacted]';

/** Hides secrets in a text that comes in pieces. */
interface RedactingStream {
  /** Takes a piece and returns what may be shown; the beginning of a possible secret waits for the next piece. */
  write(piece: string): string;
  /** What still waited. */
  end(): string;
}

export interface Redactor {
  redact(text: string): string;
  stream(): RedactingStream;
}

/** Hides values, whole or as one of their lines, plain, in base64 (at any offset of a longer text) and URL-encoded. */
export function createRedactor(values: readonly string[]): Redactor {
  const secrets = [...new Set(values.flatMap(parts).flatMap(forms))].sort((a, b) => b.length - a.length);
  if (secrets.length === 0)
    return { redact: (text) => text, stream: () => ({ write: (piece) => piece, end: () => '' }) };
  // The longest comes first: of two that begin alike, all is hidden.
  const pattern = new RegExp(secrets.map(escapePattern).join('|'), 'g');
  const redact = (text: string): string => text.replace(pattern, MASK);

  /** Where the end begins that more text could still make a secret of. */
  const decidedUpTo = (text: string): number => {
    let open = 0;
    for (const secret of secrets) {
      for (let length = Math.min(secret.length - 1, text.length); length > open; length -= 1) {
        if (text.endsWith(secret.slice(0, length))) open = length;
      }
    }
    const end = text.length - open;
    // A secret that lies across that place is not cut in two.
    for (const { index, 0: found } of text.matchAll(pattern)) {
      if (index < end && index + found.length > end) return index;
    }
    return end;
  };

  return {
    redact,
    stream() {
      let waiting = '';
      return {
        write(piece) {
          const text = waiting + piece;
          const end = decidedUpTo(text);
          waiting = text.slice(end);
          return redact(text.slice(0, end));
        },
        end() {
          const rest = redact(waiting);
          waiting = '';
          return rest;
        },
      };
    },
  };
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A value of several lines is printed line by line by some tools, each behind a prefix. */
function parts(value: string): string[] {
  const lines = value.split(/\r?\n/);
  return [value, ...(lines.length > 1 ? lines.filter((line) => line.length >= 2 * SHORTEST) : [])];
}

function forms(value: string): string[] {
  if (value.length < SHORTEST) return [];
  const encoded = encodeURIComponent(value);
  const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const urls = [encoded, lowerCase, encoded.replaceAll('%20', '+')];
  return [value, JSON.stringify(value).slice(1, -1), ...urls, ...base64Forms(value)];
}

/** Base64 of the value alone, and what it always looks like behind one or two other bytes (three: as alone). */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const found = [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, '')];
  for (const offset of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The characters at both ends also carry bits of the neighbours.
    const certain = text.slice(offset === 0 ? 0 : offset + 1, (offset + bytes.length) % 3 === 0 ? undefined : -1);
    if (certain.length >= SHORTEST_BASE64) found.push(certain);
  }
  return found.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}
