/** A run of text with one style. */
export interface AnsiSpan {
  text: string;
  /** Classes of dashboard.css. */
  className: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const SEQUENCE = /\x1b\[([0-9;:?]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;

interface Style {
  bold: boolean;
  dim: boolean;
  color: number | undefined;
}
const PLAIN: Style = { bold: false, dim: false, color: undefined };

const classNameFor = ({ bold, dim, color }: Style): string =>
  [bold && 'ansi-bold', dim && 'ansi-dim', color && `ansi-${color}`].filter(Boolean).join(' ');

function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, color: undefined };
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { ...style, color: code };
  return style;
}

/** Parses SGR codes without the arguments of 256-color and true-color codes. */
function parseCodes(parameters: string): number[] {
  const codes = parameters.split(/[;:]/).map(Number);
  const extended = codes.findIndex((code) => code === 38 || code === 48);
  return extended < 0 ? codes : codes.slice(0, extended);
}

/** Returns the text after a line's last carriage return. A regular expression would rescan a long line from each of its characters. */
const lastState = (line: string): string => line.slice(line.lastIndexOf('\r', line.length - 2) + 1);

/**
 * Parses a log into styled spans. Other terminal commands (cursor, title, links) are removed, and a line that was
 * overwritten (`\r`) shows its last state.
 */
export function parseAnsi(log: string): AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  let style = PLAIN;
  const push = (raw: string) => {
    const text = raw.replaceAll('\r\n', '\n').split('\n').map(lastState).join('\n').replace(CONTROL, '');
    if (text !== '') spans.push({ text, className: classNameFor(style) });
  };
  let from = 0;
  for (const found of log.matchAll(SEQUENCE)) {
    push(log.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[2] === 'm') style = parseCodes(found[1] ?? '').reduce(applyCode, style);
  }
  push(log.slice(from));
  return spans;
}

/** A log's text without its escape sequences. */
export const stripAnsi = (log: string): string =>
  log.includes('\x1b') || log.includes('\r')
    ? parseAnsi(log)
        .map(({ text }) => text)
        .join('')
    : log;
