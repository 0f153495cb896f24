import { readFileSync } from 'node:fs';

/** The operators' runbook: its sections, and the commands in them. */

/** The commands of a text: those of fenced blocks, continued ones joined, and code in running text. */
export function commandsOf(text: string): string[] {
  const fenced = /^( *)```(?:sh|bash|)\n([\s\S]*?)^ *```$/gm;
  const blocks = [...text.matchAll(fenced)].flatMap(([, , block = '']) =>
    block.replaceAll(/\\\n\s*/g, ' ').split('\n'),
  );
  const inline = [...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`]+)`/g)];
  return [...blocks, ...inline.map(([, code = '']) => code.replaceAll(/\s+/g, ' '))].map((line) => line.trim());
}

/** The sections of the runbook by their titles. */
export const runbookSections = (): Map<string, string> =>
  new Map(
    readFileSync('docs/runbook.md', 'utf8')
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [title = ''] = section.split('\n');
        return [title, section.slice(title.length)];
      }),
  );

/** Returns the words of a section as running text, for comparison. */
export const plainText = (section: string): string => section.replaceAll(/[_*`]/g, '').replaceAll(/\s+/g, ' ');

/** A command of a page, in parts. */
export interface Command {
  text: string;
  /** Words before the first option. */
  words: string[];
  options: Record<string, string>;
}

/** Splits a command as a shell does, as far as the runbook needs it: words, and texts in quotes. */
function parseCommand(text: string): Command {
  const tokens = [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain = '']) => single ?? double ?? plain,
  );
  const first = tokens.findIndex((token) => token.startsWith('--') && token !== '--');
  const options: Record<string, string> = {};
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    if (token.startsWith('--') && token !== '--') options[token.slice(2)] = next?.startsWith('--') ? '' : (next ?? '');
  }
  return { text, words: (first < 0 ? tokens : tokens.slice(0, first)).filter((token) => token !== '--'), options };
}

/**
 * Returns a command of a section by its beginning, with its placeholders filled in. Throws where the page has no such
 * command, or a placeholder is left. `has`: a part of it that others do not have; `fill`: text of the page → text in its place
 */
export function commandOf(
  page: string,
  { command, has = '', fill = {} }: { command: string; has?: string; fill?: Record<string, string> },
): Command {
  const section = runbookSections().get(page);
  const found = commandsOf(section ?? '').find((each) => each.startsWith(command) && each.includes(has));
  if (found === undefined) throw new Error(`"${page}" has no command that begins with ${command} and has ${has}`);
  const values = { '<region>': 'af-south-1', '<stage>': 'prod', ...fill };
  const text = Object.entries(values).reduce((all, [name, value]) => all.replaceAll(name, value), found);
  if (/…|<[a-z]+>/.test(text)) throw new Error(`A placeholder is left in ${text}`);
  return parseCommand(text);
}
