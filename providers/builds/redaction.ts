/** Minimum length of a secret in characters. Redacting words such as `on` or `1` would make a log unreadable. */
const MIN_SECRET_LENGTH = 4;
/** Minimum number of unambiguous characters to recognize a value inside a longer base64 text. */
const MIN_BASE64_LENGTH = 6;
const MASK = '[redacted]';
/** Usual values of settings, in lower case. They occur in most logs and are no secrets. The list must not contain likely passwords. */
const USUAL_SETTINGS: ReadonlySet<string> = new Set([
  'trace',
  'debug',
  'verbose',
  'info',
  'notice',
  'warn',
  'warning',
  'error',
  'fatal',
  'silent',
  'true',
  'false',
  'none',
  'null',
  'auto',
  'production',
  'development',
  'staging',
  'localhost',
]);

/** Redacts secrets in a text that arrives in pieces. */
interface RedactingStream {
  /** Adds a piece and returns the redacted text. Holds back a possible start of a secret until the next piece. */
  write(piece: string): string;
  /** Returns the remaining text, redacted. */
  end(): string;
}

export interface Redactor {
  redact(text: string): string;
  stream(): RedactingStream;
}

/**
 * Creates a redactor of secret values. It finds them whole or line by line: in plain text, quoted, hexadecimal, URL-encoded, and in base64
 * at any offset of a longer text.
 */
export function createRedactor(values: readonly string[]): Redactor {
  const hidden = values.flatMap(splitLines).filter((value) => !USUAL_SETTINGS.has(value.toLowerCase()));
  const secrets = sortSecrets([...new Set(hidden.flatMap(encodedForms))]);
  const heads = [...new Set(secrets.texts.map((secret) => secret.slice(0, MIN_SECRET_LENGTH)))];
  // Matches only the start of secrets: there may be thousands, and a regular expression of whole secrets takes a second to compile.
  const head = new RegExp(heads.map(escapePattern).join('|') || '(?!)', 'g');

  /** Returns the redacted text, and the remainder that may be the start of a secret. The remainder of a complete text is empty. */
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
 * Returns the next position at which a secret may begin, or the text's length. That is a match of `head`, or one of the last positions,
 * where the remaining text is shorter than a head.
 */
function findFrom(head: RegExp, text: string, from: number): number {
  head.lastIndex = from;
  return head.exec(text)?.index ?? Math.min(text.length, Math.max(from, text.length - MIN_SECRET_LENGTH + 1));
}

/** Texts in order. `prefixes` has, for each text, the index of the longest other text with which it begins, or -1. */
interface Secrets {
  texts: readonly string[];
  prefixes: readonly number[];
}

function sortSecrets(secrets: readonly string[]): Secrets {
  const texts = secrets.toSorted();
  const prefixes: number[] = [];
  for (const [index, text] of texts.entries()) {
    let prefix = index - 1;
    while (prefix >= 0 && !text.startsWith(texts[prefix] ?? '')) prefix = prefixes[prefix] ?? -1;
    prefixes.push(prefix);
  }
  return { texts, prefixes };
}

/**
 * Finds the secret at a position of a text. Uses a binary search, because a value and each of its lines have dozens of encoded forms.
 *
 * @returns `found`: the longest secret at the position, '' for none. `isBeginning`: the text ends with the start of a longer secret.
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
  // In sorted order, secrets that begin with `rest` come directly after it, and secrets with which `rest` begins come before it.
  let index = low - 1;
  while (index >= 0 && !rest.startsWith(texts[index] ?? '')) index = prefixes[index] ?? -1;
  return { found: texts[index] ?? '', isBeginning: texts[low]?.startsWith(rest) === true };
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
  // As Node's `util.inspect` prints a string, with one of three quotes. The shell's form follows below.
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

/** Characters in addition to letters, digits and `-_.` that URL encoders do not escape. No two encoders agree. */
const UNESCAPED = [
  // PHP, forms (URLSearchParams), RFC 3986 (signatures of AWS and OAuth, Python), and RFC 3986 for paths.
  '',
  '*',
  '~',
  '~/',
  // encodeURIComponent, axios (two versions), and encodeURI.
  "~*!'()",
  "~*!'():$,",
  "~*!'():$,[]",
  "~*!'():$,#&+/;=?@",
  // The parts of a WHATWG URL: user name and password, path (two versions of Node), query (of https and of other schemes), and fragment.
  "~*!'()$,&+%",
  "~*!'():$,&+%/;=@[]|\\",
  "~*!'():$,&+%/;=@[]|\\^",
  '~*!():$,&+%/;=@[]|\\^?`{}',
  "~*!'():$,&+%/;=@[]|\\^?`{}",
  "~*!'():$,&+%/;=@[]|\\^?#{}",
];
const hexEscape = (character: string) => `%${Buffer.from(character).toString('hex').toUpperCase()}`;

/** Returns a value as URL encoders write it: with escapes in upper or lower case, and a space as `%20` or `+`. */
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
 * Returns the base64 of a value alone, and the unambiguous part of its base64 after one or two other bytes. After three bytes it is the
 * same as alone.
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
