/** The form of `.env` files, which customers paste into the dashboard and push with the command line: both read the same. */

/** A variable of a `.env` file. */
export interface Pair {
  key: string;
  value: string;
}

/** Characters by what follows a backslash in double quotes; one before anything else stays. */
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  $: '$',
  '`': '`',
};

/**
 * Matches `NAME=` followed by a value in double quotes (escapes, several lines), in single quotes or backticks (literal), or
 * unquoted up to a comment or the end of the line.
 */
const ENTRY =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\r\n]*))/gm;

/** Blank lines and comments. */
const NOTHING = /^[ \t]*(?:#.*)?$/;

/** Returns the numbers of the lines of a `.env` file, from 1, of which something is neither read nor meant to be nothing. */
function unreadLines(text: string): number[] {
  // What was read is left out but for its line ends, so that the lines keep their numbers.
  const rest = text.replace(ENTRY, (entry) => entry.replace(/[^\n]/g, ''));
  return rest.split('\n').flatMap((line, index) => (NOTHING.test(line.trim()) ? [] : [index + 1]));
}

/** Lines that are named at most. */
const MAX_NAMED = 10;

/**
 * Names the lines that were not read, or only in part, by their numbers only: what they hold may be a secret. Returns an
 * empty text if all were read.
 */
export function describeUnread(text: string): string {
  const lines = unreadLines(text);
  if (lines.length === 0) return '';
  const named = lines.slice(0, MAX_NAMED).join(', ');
  const rest = lines.length > MAX_NAMED ? ', …' : '';
  return `${lines.length === 1 ? 'Line' : 'Lines'} ${named}${rest} could not be read completely: check the variables.`;
}

/** Parses a `.env` file as common parsers do. The last value of a repeated name wins. */
export function parseDotenv(text: string): Pair[] {
  const found = new Map<string, string>();
  for (const [, key = '', double, single, tick, bare] of text.matchAll(ENTRY)) {
    const unescaped = double?.replace(/\\([\s\S])/g, (whole, escaped: string) => ESCAPES[escaped] ?? whole);
    found.set(key, unescaped ?? single ?? tick ?? (bare ?? '').replace(/(^|\s)#.*$/, '').trim());
  }
  return [...found].map(([key, value]) => ({ key, value }));
}
