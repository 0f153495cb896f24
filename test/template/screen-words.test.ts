import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The page of the terms on screen: its two tables are what is checked here. */
const [terms = '', replaced = ''] = readFileSync('docs/screen-terms.md', 'utf8').split('## Instead of');
const rowsOf = (table: string): [string, string][] =>
  table.split('\n').flatMap((line): [string, string][] => {
    const [, first = '', second = ''] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? [];
    return first === '' || first === '---' || /^(term|say)$/.test(first) ? [] : [[first, second]];
  });

const comments = /\/\*[\s\S]*?\*\/|(?<=^|[\s{;])\/\/.*$/gm;
const sources = globSync('dashboard/**/*.{ts,tsx}')
  // Customers do not read the operators' section.
  .filter((path) => !/\.test\.ts$|node_modules|dashboard\/operator\//.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8').replace(comments, '') }));

/** Words that a customer would not search for. Terms that are retired everywhere have their own check (scripts/lint-language.ts). */
test.each(rowsOf(replaced))('screens say “%s”, and never %s', (_say, pattern) => {
  const words = new RegExp(pattern.replace(/^`|`$/g, '').replaceAll('\\|', '|'), 'i');
  const found = sources.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line) => (words.test(line) ? [`${path}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

test.each(rowsOf(terms))('the term “%s” is on a screen', (term) => {
  const words = new RegExp(`\\b${term}`, 'i');
  expect(sources.filter(({ text }) => words.test(text)).length).toBeGreaterThan(0);
});

test.each(['dashboard/apps/AppSettings.tsx', 'cli/commands/apps.ts', 'contract/apps/apps.ts'])(
  '%s says that an application is deleted with its databases',
  (path) => {
    const texts = readFileSync(path, 'utf8').match(/[^'`<>{}]*\bdeleted?\b[^'`<>{}]*/gi) ?? [];
    const lists = texts.filter((text) => /releases|site/.test(text));
    expect(lists).not.toEqual([]);
    for (const list of lists) expect(list).toContain('databases');
  },
);

test('the page and the dashboard are read', () => {
  expect(rowsOf(terms).length).toBeGreaterThan(30);
  expect(rowsOf(replaced).length).toBeGreaterThan(25);
  expect(sources.length).toBeGreaterThan(100);
});
