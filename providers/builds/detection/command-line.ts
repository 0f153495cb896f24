/** A word of a command line. */
export interface Word {
  text: string;
  /** True if a shell would replace part of it: `$PORT`, `*.js`, `~`. */
  dynamic: boolean;
}

/** One command of a chain, with its text as written. */
export interface Command {
  words: Word[];
  text: string;
}

/** Quotes a word for a shell, if it needs that. */
export const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Operators that only a shell understands. */
const SHELL_ONLY = /[|<>()`\n]/;

/**
 * Splits a script at `&&` and `;` into commands and words, with quotes and escapes removed. Undefined if it uses more of
 * a shell than that: pipes, redirections, background processes, substitutions.
 */
export function parseCommandLine(script: string): Command[] | undefined {
  const commands: Command[] = [];
  let words: Word[] = [];
  let word: Word | undefined;
  let quote = '';
  let start = 0;
  const endWord = (): void => {
    if (word) words.push(word);
    word = undefined;
  };
  const endCommand = (end: number): void => {
    endWord();
    if (words.length > 0) commands.push({ words, text: script.slice(start, end).trim() });
    words = [];
  };
  for (let at = 0; at < script.length; at += 1) {
    const character = script.charAt(at);
    const next = script.charAt(at + 1);
    const add = (text: string, dynamic = false): void => {
      word = { text: (word?.text ?? '') + text, dynamic: (word?.dynamic ?? false) || dynamic };
    };
    if (character === '\\' && quote !== "'" && next !== '') {
      add(next);
      at += 1;
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else if (quote === '"' && (character === '`' || (character === '$' && next === '('))) return undefined;
      else add(character, quote === '"' && character === '$');
    } else if (character === '"' || character === "'") {
      add('');
      quote = character;
    } else if (character === '&' && next === '&') {
      endCommand(at);
      at += 1;
      start = at + 1;
    } else if (character === ';') {
      endCommand(at);
      start = at + 1;
    } else if (character === '&' || SHELL_ONLY.test(character)) return undefined;
    else if (/\s/.test(character)) endWord();
    else add(character, /[$*?~]/.test(character));
  }
  if (quote !== '') return undefined;
  endCommand(script.length);
  return commands;
}
