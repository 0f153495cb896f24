/** The parser for `.env` files, which customers paste into the dashboard or push with the command line. Both share it. */

/** A variable of a `.env` file. */
export interface Pair {
  key: string;
  value: string;
}

/** Escape sequences in double quotes: the character after the backslash, and its meaning. Any other backslash stays. */
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
const BLANK_OR_COMMENT = /^[ \t]*(?:#.*)?$/;

/** Returns the numbers of the lines, from 1, that the parser did not read completely. */
function unreadLines(text: string): number[] {
  // Entries are removed except for their line ends, so that the remaining lines keep their numbers.
  const unread = text.replace(ENTRY, (entry) => entry.replace(/[^\n]/g, ''));
  return unread.split('\n').flatMap((line, index) => (BLANK_OR_COMMENT.test(line.trim()) ? [] : [index + 1]));
}

/** The maximum number of lines that a message names. */
const MAX_NAMED = 10;

/**
 * Returns a message that names the lines which were not read completely, by number only: their text may be a secret. Returns an
 * empty string if all lines were read.
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
