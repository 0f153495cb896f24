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
  const secrets = sortSecrets([...new Set(values.flatMap(splitLines).flatMap(encodedForms))]);
  const heads = [...new Set(secrets.texts.map((secret) => secret.slice(0, MIN_SECRET_LENGTH)))];
  // Only their beginnings: an expression of whole secrets, of which there may be thousands, takes a second to compile.
  const head = new RegExp(heads.map(escapePattern).join('|') || '(?!)', 'g');

  /** Returns the redacted text, and the rest that may be the beginning of a secret; a text that is whole has none. */
  const scan = (text: string, isWhole: boolean): { redacted: string; rest: string } => {
    let redacted = '';
    let from = 0;
    for (let at = findFrom(head, text, 0); at < text.length; at = findFrom(head, text, at)) {
      const { found, isBeginning } = lookUp(secrets, text, at);
      if (isBeginning && !isWhole) return { redacted: redacted + text.slice(from, at), rest: text.slice(at) };
      if (found === '') {
        at += 1;
        continue;
      }
      redacted += text.slice(from, at) + MASK;
      at += found.length;
      from = at;
    }
    return { redacted: redacted + text.slice(from), rest: '' };
  };

  return {
    redact: (text) => scan(text, true).redacted,
    stream() {
      let pending = '';
      return {
        write(piece) {
          const { redacted, rest } = scan(pending + piece, false);
          pending = rest;
          return redacted;
        },
        end() {
          const { redacted } = scan(pending, true);
          pending = '';
          return redacted;
        },
      };
    },
  };
}

/**
 * Returns the next position at which a secret may begin, or the text's length: a match of `head`, or one of the last positions, where
 * less is left than a head.
 */
function findFrom(head: RegExp, text: string, from: number): number {
  head.lastIndex = from;
  return head.exec(text)?.index ?? Math.min(text.length, Math.max(from, text.length - MIN_SECRET_LENGTH + 1));
}

/** Texts in order, each with the place of the longest other one that it begins with, or -1. */
interface Secrets {
  texts: readonly string[];
  prefixes: readonly number[];
}

function sortSecrets(secrets: readonly string[]): Secrets {
  const texts = secrets.toSorted();
  const prefixes: number[] = [];
  for (const [place, text] of texts.entries()) {
    let before = place - 1;
    while (before >= 0 && !text.startsWith(texts[before] ?? '')) before = prefixes[before] ?? -1;
    prefixes.push(before);
  }
  return { texts, prefixes };
}

/**
 * Looks up a position of a text by a binary search, because a value has dozens of forms, and so has each of its lines.
 *
 * @returns the longest secret there, '' for none; and whether the text ends with the beginning of a longer one
 */
function lookUp({ texts, prefixes }: Secrets, text: string, at: number): { found: string; isBeginning: boolean } {
  const rest = text.slice(at);
  let low = 0;
  let high = texts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((texts[middle] ?? '') > rest) high = middle;
    else low = middle + 1;
  }
  // What begins with the rest comes right behind it, what the rest begins with before it.
  let place = low - 1;
  while (place >= 0 && !rest.startsWith(texts[place] ?? '')) place = prefixes[place] ?? -1;
  return { found: texts[place] ?? '', isBeginning: texts[low]?.startsWith(rest) === true };
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Returns a value and its lines, because some tools print a multi-line value line by line with a prefix. */
function splitLines(value: string): string[] {
  const lines = value.split(/\r?\n/);
  return [value, ...(lines.length > 1 ? lines.filter((line) => line.length >= 2 * MIN_SECRET_LENGTH) : [])];
}

function encodedForms(value: string): string[] {
  if (value.length < MIN_SECRET_LENGTH) return [];
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
    ...urlForms(value),
    // In the path of an https URL a backslash becomes a slash.
    ...(value.includes('\\') ? urlForms(value.replaceAll('\\', '/')) : []),
    hex,
    hex.toUpperCase(),
    ...base64Forms(value),
  ];
}

/** Characters beside letters, digits and `-_.` that encoders leave as they are: no two agree. */
const UNESCAPED = [
  // PHP, forms (URLSearchParams), RFC 3986 (signatures of AWS and OAuth, Python), and RFC 3986 for paths.
  '',
  '*',
  '~',
  '~/',
  // encodeURIComponent, axios (of two ages), and encodeURI.
  "~*!'()",
  "~*!'():$,",
  "~*!'():$,[]",
  "~*!'():$,#&+/;=?@",
  // The parts of a WHATWG URL: user name and password, path (of two ages of Node), query (of https and of others), and fragment.
  "~*!'()$,&+%",
  "~*!'():$,&+%/;=@[]|\\",
  "~*!'():$,&+%/;=@[]|\\^",
  '~*!():$,&+%/;=@[]|\\^?`{}',
  "~*!'():$,&+%/;=@[]|\\^?`{}",
  "~*!'():$,&+%/;=@[]|\\^?#{}",
];
const hexEscape = (character: string) => `%${Buffer.from(character).toString('hex').toUpperCase()}`;

/** Returns a value as encoders of URLs write it: with escapes in capitals or not, and a space as `%20` or `+`. */
function urlForms(value: string): string[] {
  const escaped = encodeURIComponent(value).replace(/[~*!'()]/g, hexEscape);
  const forms = UNESCAPED.flatMap((kept) => {
    const form = escaped.replace(/%[2-7][0-9A-F]/g, (code) => {
      const character = decodeURIComponent(code);
      return kept.includes(character) ? character : code;
    });
    return kept.includes('+') ? form : [form, form.replaceAll('%20', '+')];
  });
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
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
