/**
 * Refuses terms that docs/glossary.md retired, docstrings that begin with a headless clause, comments that name files, parameters or links
 * that do not exist, and empty files. Run by `npm run lint`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
export const GLOSSARY_FILE = join(ROOT, 'docs/glossary.md');

/** Files that the lint does not read: the glossary, the lint and its test, the changelog, and third-party texts. */
const EXCLUDED =
  /^(docs\/glossary\.md|scripts\/lint-language[^/]*|CHANGELOG\.md|LICENSE|examples\/|.*package-lock\.json$)/;
const TEXT = /\.(tsx?|mjs|cjs|js|md|css|html|ya?ml|json)$/;
const CODE = /\.(tsx?|mjs|cjs|js)$/;

const DOCSTRING = /\/\*\*\s*\n?\s*\*?\s*([^\n]*)/g;
/** A file that a comment names in parentheses: `(lib/app.ts)`, `(keys.ts)`. */
const FILE_IN_COMMENT = /^\s*(?:\/\*\*|\*|\/\/).*?\(([\w./-]+\.(?:tsx?|mjs))\)/gm;
/** A parameter that a docstring describes, and the code after the docstring, which begins with the parameters. */
const PARAMETER = /@param (?:\w+\.)*(\w+)(?=[\s\S]*?\*\/([\s\S]{1,600}))/g;
/** The name that a comment links to. */
const LINK = /\{@link[\s*]+([\w$]+)/g;
const HEADLESS =
  /^(What|How|By how much|Where|Whether|Who(?:m|se|ever)?|When|Until when|Whatever|For those|There was)\b/;

/** An identifier that is retired only in some folders, because it is ordinary English elsewhere. */
interface ScopedTerm {
  term: string;
  folder: string;
}

export interface Glossary {
  /** Matches a retired term anywhere in code, comments, strings, docs and file names. */
  retired: RegExp;
  scoped: readonly ScopedTerm[];
  /** Exact texts that may contain a retired term, because they are physical names. */
  kept: readonly string[];
}

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Returns the rows of all tables, with their cells by column. */
function rowsOf(markdown: string): Partial<Record<string, string>>[] {
  const tables = markdown.match(/^\|.*(?:\n\|.*)*/gm) ?? [];
  return tables.flatMap((table) => {
    const [columns = [], ...rows] = table.split('\n').map(cellsOf);
    return rows.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index]])));
  });
}

const escapePattern = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '\\w*');

/**
 * Parses the tables of the glossary. In a column "Instead of", `` `Term` `` is a retired identifier (case-sensitive, `*` stands for any
 * letters), `` `term` (folder/) `` is retired only in the code of that folder, and "words" is a retired phrase. A column "Kept text" lists
 * exact texts that remain allowed.
 */
export function parseGlossary(markdown: string): Glossary {
  const identifiers: string[] = [];
  const phrases: string[] = [];
  const scoped: ScopedTerm[] = [];
  const kept: string[] = [];
  for (const row of rowsOf(markdown)) {
    for (const [, term = ''] of (row['Kept text'] ?? '').matchAll(/`([^`]+)`/g)) kept.push(term);
    const instead = row['Instead of'] ?? '';
    for (const [, term, folders, phrase] of instead.matchAll(/`([^`]+)`(?: \(([^)]+)\))?|"([^"]+)"/g)) {
      if (phrase) phrases.push(phrase);
      else if (term && folders) scoped.push(...folders.split(', ').map((folder) => ({ term, folder })));
      else if (term) identifiers.push(term);
    }
  }
  const anyCase = phrases.map((phrase) =>
    escapePattern(phrase).replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`),
  );
  const all = [...identifiers.map(escapePattern), ...anyCase];
  return { retired: new RegExp(`(?<![\\w-])(?:${all.join('|')})(?![\\w-])`), scoped, kept };
}

const withoutTexts = (code: string): string =>
  code
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<![:\\])\/\/[^\n]*/g, ' ');

/** Returns the number of the line at an index. */
const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/**
 * Checks one file.
 *
 * @param path relative to the project's root
 * @returns one line per finding, `path:line: reason`
 */
export function lintFile(path: string, source: string, { retired, scoped, kept }: Glossary): string[] {
  const text = kept.reduce((rest, each) => rest.replaceAll(each, ''), source);
  const findings: string[] = [];
  const fileName = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');
  const named = retired.exec(fileName);
  if (named) findings.push(`${path}: the file name has the retired term "${named[0]}"`);
  text.split('\n').forEach((line, index) => {
    const at = `${path}:${index + 1}`;
    const term = retired.exec(line);
    if (term) findings.push(`${at}: retired term "${term[0]}"`);
  });
  if (!CODE.test(path)) return findings;
  for (const { index, 1: first = '' } of text.matchAll(DOCSTRING)) {
    if (!HEADLESS.test(first)) continue;
    findings.push(`${path}:${lineAt(text, index)}: docstring begins with a headless clause: "${first.slice(0, 50)}"`);
  }
  const code = withoutTexts(text);
  for (const { index, 1: name = '' } of text.matchAll(LINK)) {
    if (new RegExp(`(?<![\\w$])${escapePattern(name)}(?![\\w$])`).test(code)) continue;
    findings.push(`${path}:${lineAt(text, index)}: link to ${name}, which is not in scope`);
  }
  for (const { index, 1: file = '' } of text.matchAll(FILE_IN_COMMENT)) {
    if (existsSync(join(ROOT, file)) || existsSync(join(ROOT, dirname(path), file))) continue;
    findings.push(`${path}:${lineAt(text, index)}: comment names ${file}, which does not exist`);
  }
  for (const { index, 1: name = '', 2: after = '' } of text.matchAll(PARAMETER)) {
    if (new RegExp(`(?<![\\w$])${escapePattern(name)}(?![\\w$])`).test(after)) continue;
    findings.push(`${path}:${lineAt(text, index)}: docstring describes the parameter ${name}, which does not exist`);
  }
  const here = scoped.filter(({ folder }) => path.startsWith(folder));
  if (here.length === 0) return findings;
  const lines = code.split('\n');
  for (const { term } of here) {
    const identifier = new RegExp(`(?<![\\w$])${escapePattern(term)}(?![\\w$])`);
    lines.forEach((line, index) => {
      if (identifier.test(line)) findings.push(`${path}:${index + 1}: retired identifier "${term}"`);
    });
  }
  return findings;
}

/** Checks every file of the project that git does not ignore. An empty one was committed by accident. */
export function lintProject(): string[] {
  const glossary = parseGlossary(readFileSync(GLOSSARY_FILE, 'utf8'));
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)));
  return [
    ...paths.filter((path) => statSync(join(ROOT, path)).size === 0).map((path) => `${path}: the file is empty`),
    ...paths
      .filter((path) => TEXT.test(path) && !EXCLUDED.test(path))
      .flatMap((path) => lintFile(path, readFileSync(join(ROOT, path), 'utf8'), glossary)),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const [folder = ''] = process.argv.slice(2);
  const findings = lintProject().filter((finding) => finding.startsWith(folder));
  for (const finding of findings) console.log(finding);
  if (findings.length > 0) {
    console.error(`${findings.length} findings. See docs/glossary.md.`);
    process.exitCode = 1;
  }
}
