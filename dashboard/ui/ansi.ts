/** A stretch of a log's line that looks alike. */
export interface Stretch {
  text: string;
  /** Classes of dashboard.css. */
  className: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const SEQUENCE = /\x1b\[([0-9;:?]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;

interface Look {
  bold: boolean;
  dim: boolean;
  colour: number | undefined;
}
const PLAIN: Look = { bold: false, dim: false, colour: undefined };

const classOf = ({ bold, dim, colour }: Look): string =>
  [bold && 'ansi-bold', dim && 'ansi-dim', colour && `ansi-${colour}`].filter(Boolean).join(' ');

function changed(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 39) return { ...look, colour: undefined };
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { ...look, colour: code };
  return look;
}

/** Codes of 256 and true colours have arguments, which are no codes. */
function codesOf(parameters: string): number[] {
  const codes = parameters.split(/[;:]/).map(Number);
  const extended = codes.findIndex((code) => code === 38 || code === 48);
  return extended < 0 ? codes : codes.slice(0, extended);
}

/**
 * A log's text with its colours as data. Whatever else a terminal would obey (cursor, titles, links) is taken out, and
 * a line that was overwritten (`\r`) shows what it ended as.
 */
export function readAnsi(log: string): Stretch[] {
  const stretches: Stretch[] = [];
  let look = PLAIN;
  const push = (raw: string) => {
    const text = raw
      .replaceAll('\r\n', '\n')
      .replace(/[^\n]*\r(?=[^\n])/g, '')
      .replace(CONTROL, '');
    if (text !== '') stretches.push({ text, className: classOf(look) });
  };
  let from = 0;
  for (const found of log.matchAll(SEQUENCE)) {
    push(log.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[2] === 'm') look = codesOf(found[1] ?? '').reduce(changed, look);
  }
  push(log.slice(from));
  return stretches;
}

/** A log's text without its escape sequences. */
export const plainOf = (log: string): string =>
  log.includes('\x1b') || log.includes('\r')
    ? readAnsi(log)
        .map(({ text }) => text)
        .join('')
    : log;
