/** Minimum length of a secret in characters. Redacting words such as `on` or `1` would make a log unreadable. */
const MIN_SECRET_LENGTH = 4;
/** Minimum number of unambiguous characters to recognize a value inside a longer base64 text. */
const MIN_BASE64_LENGTH = 6;
const MASK = '[redacted]';

/** Redacts secrets in a text that arrives in pieces. */
interface RedactingStream {
  /** Takes a piece and returns the redacted text. Holds back a possible beginning of a secret until the next piece. */
  write(piece: string): string;
  /** Returns the redacted rest. */
  end(): string;
}

export interface Redactor {
  redact(text: string): string;
  stream(): RedactingStream;
}

/** Redacts values: whole or line by line, in plain text, quoted, in base64 (at any offset of a longer text), hexadecimal and URL-encoded. */
export function createRedactor(values: readonly string[]): Redactor {
  const secrets = [...new Set(values.flatMap(splitLines).flatMap(encodedForms))].sort((a, b) => b.length - a.length);
  if (secrets.length === 0)
    return { redact: (text) => text, stream: () => ({ write: (piece) => piece, end: () => '' }) };
  // The longest secret comes first, so that it is redacted whole if a shorter one is its prefix.
  const pattern = new RegExp(secrets.map(escapePattern).join('|'), 'g');
  const redact = (text: string): string => text.replace(pattern, MASK);

  /** Returns the position up to which the text is final: the rest may be the beginning of a secret. */
  const findFinalLength = (text: string): number => {
    let open = 0;
    for (const secret of secrets) {
      for (let length = Math.min(secret.length - 1, text.length); length > open; length -= 1) {
        if (text.endsWith(secret.slice(0, length))) open = length;
      }
    }
    const end = text.length - open;
    // Moves the position before a secret that spans it.
    for (const { index, 0: found } of text.matchAll(pattern)) {
      if (index < end && index + found.length > end) return index;
    }
    return end;
  };

  return {
    redact,
    stream() {
      let pending = '';
      return {
        write(piece) {
          const text = pending + piece;
          const end = findFinalLength(text);
          pending = text.slice(end);
          return redact(text.slice(0, end));
        },
        end() {
          const rest = redact(pending);
          pending = '';
          return rest;
        },
      };
    },
  };
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Returns a value and its lines, because some tools print a multi-line value line by line with a prefix. */
function splitLines(value: string): string[] {
  const lines = value.split(/\r?\n/);
  return [value, ...(lines.length > 1 ? lines.filter((line) => line.length >= 2 * MIN_SECRET_LENGTH) : [])];
}

function encodedForms(value: string): string[] {
  if (value.length < MIN_SECRET_LENGTH) return [];
  const encoded = encodeURIComponent(value);
  const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const urls = [encoded, lowerCase, encoded.replaceAll('%20', '+')];
  const hex = Buffer.from(value).toString('hex');
  const quoted = JSON.stringify(value).slice(1, -1);
  // As Node's inspector prints a text, which chooses among three quotes, and as a shell does.
  const escaped = quoted.replaceAll('\\"', '"');
  const others = [escaped, ...["'", '`'].map((quote) => escaped.replaceAll(quote, `\\${quote}`))];
  return [
    value,
    quoted,
    ...others,
    value.replaceAll("'", "'\\''"),
    ...urls,
    hex,
    hex.toUpperCase(),
    ...base64Forms(value),
  ];
}

/**
 * Returns the base64 of a value alone, and its unambiguous part behind one or two other bytes (three bytes: as alone).
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const found = [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, '')];
  for (const offset of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The characters at both ends also encode bits of adjacent bytes.
    const certain = text.slice(offset === 0 ? 0 : offset + 1, (offset + bytes.length) % 3 === 0 ? undefined : -1);
    if (certain.length >= MIN_BASE64_LENGTH) found.push(certain);
  }
  return found.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}
