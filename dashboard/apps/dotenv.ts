/** A variable of a `.env` file. */
export interface Pair {
  key: string;
  value: string;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * `NAME=` with a value in double quotes (with escapes, over several lines), in single quotes or backticks (as it stands), or to
 * the end of its line, up to a comment.
 */
const ENTRY =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\r\n]*))/gm;

/** The variables of a `.env` file's text, as the usual readers of such files take them; of a repeated name the last one counts. */
export function readDotenv(text: string): Pair[] {
  const found = new Map<string, string>();
  for (const [, key = '', double, single, tick, bare] of text.matchAll(ENTRY)) {
    const unescaped = double?.replace(/\\([\s\S])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
    found.set(key, unescaped ?? single ?? tick ?? (bare ?? '').replace(/(^|\s)#.*$/, '').trim());
  }
  return [...found].map(([key, value]) => ({ key, value }));
}
