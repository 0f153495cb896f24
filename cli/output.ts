import { stripVTControlCharacters, styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

export interface OutputOptions {
  json: boolean;
  color: boolean;
  write(text: string): void;
  writeError(text: string): void;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Returns untrusted text (logs, names, model output) without terminal control sequences. */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(CONTROL, '');

/** Returns a number with its noun: `1 commit`, `2 commits`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** The output of a command: results to stdout, messages to stderr. */
export class Output {
  readonly json: boolean;
  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.json = options.json;
    this.#options = options;
  }

  /** Prints a line of the result, for people. */
  line(text = ''): void {
    this.#options.write(`${text}\n`);
  }

  /** Prints a part of a line of the result. */
  part(text: string): void {
    this.#options.write(text);
  }

  /** Prints a message, which is never part of the result. */
  note(text: string): void {
    this.#options.writeError(`${text}\n`);
  }

  /** Prints a line of a log: as the result for people, as a message for scripts. */
  log(text: string): void {
    if (this.json) this.note(text);
    else this.line(text);
  }

  style(style: Style, text: string): string {
    return this.#options.color ? styleText(style, text) : text;
  }

  /** Prints a result as JSON, or with `show`. */
  result(data: unknown, show: () => void): void {
    if (this.json) this.line(JSON.stringify(data, null, 2));
    else show();
  }

  /** Prints one of several results that arrive over time. */
  item(data: unknown, show: () => void): void {
    if (this.json) this.line(JSON.stringify(data));
    else show();
  }

  /** Prints rows under their headings, or a sentence if there are none. */
  table(headings: readonly string[], rows: readonly (readonly (string | number | null)[])[], none: string): void {
    if (rows.length === 0) {
      this.line(none);
      return;
    }
    const texts = rows.map((row) => row.map((cell) => printable(String(cell ?? '–'))));
    const widths = headings.map((heading, column) =>
      Math.max(heading.length, ...texts.map((row) => row[column]?.length ?? 0)),
    );
    const render = (row: readonly string[]) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd();
    this.line(this.style('dim', render(headings.map((heading) => heading.toUpperCase()))));
    for (const row of texts) this.line(render(row));
  }

  /** Prints a resource as names and values. */
  fields(fields: Readonly<Record<string, string | number | boolean | null | undefined>>): void {
    const width = Math.max(...Object.keys(fields).map((name) => name.length));
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined)
        this.line(`${this.style('dim', name.padEnd(width))}  ${printable(String(value ?? '–'))}`);
  }
}
