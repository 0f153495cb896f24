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

/** Matches the parts of a script: an escaped character, a quoted text, the end of a command, or any other character. */
const PARTS = /\\(.)|'([^']*)'|"((?:\\.|[^"\\])*)"|(&&|;)|(.)/gs;
/** Matches characters that only a shell understands, and unterminated quotes. */
const SHELL_ONLY = /[|<>()`\n&'"]/;

/**
 * Splits a script at `&&` and `;` into commands and words, with quotes and escapes removed. Returns undefined if the script needs a real
 * shell: for pipes, redirections, background processes or substitutions.
 */
export function parseCommandLine(script: string): Command[] | undefined {
  const commands: Command[] = [];
  let words: Word[] = [];
  let word: Word | undefined;
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
  for (const part of script.matchAll(PARTS)) {
    const [text, , , , operator, character = ''] = part;
    const piece = unquotePart(part);
    if (operator !== undefined) {
      endCommand(part.index);
      start = part.index + text.length;
    } else if (!piece) return undefined;
    else if (/\s/.test(character)) endWord();
    else word = { text: (word?.text ?? '') + piece.text, dynamic: (word?.dynamic ?? false) || piece.dynamic };
  }
  endCommand(script.length);
  return commands;
}

/** Returns a part of a word without its quotes; undefined if only a shell understands it. */
function unquotePart([, escaped, single, double, , character = '']: RegExpExecArray): Word | undefined {
  const literal = escaped ?? single;
  if (literal !== undefined) return { text: literal, dynamic: false };
  if (double === undefined) {
    return SHELL_ONLY.test(character) ? undefined : { text: character, dynamic: /[$*?~]/.test(character) };
  }
  const unescaped = double.replace(/\\./gs, 'x');
  if (/`|\$\(/.test(unescaped)) return undefined;
  return { text: double.replace(/\\(.)/gs, '$1'), dynamic: unescaped.includes('$') };
}

/** Returns a command that runs in a directory below the current one. */
export const within = (directory: string, command: string): string =>
  directory === '' ? command : `cd ${quoteWord(directory)} && ${command}`;

/** Returns the name of a program without the path to it. */
export const baseName = (program: string): string => program.replace(/^.*\//, '');
