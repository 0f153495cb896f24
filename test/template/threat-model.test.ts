import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const PAGE = readFileSync('docs/threat-model.md', 'utf8');
/** The sections that list attacks. */
const SECTIONS = PAGE.split(/^## /m).filter((section) => section.includes('| attack | defense | test |'));

/** Returns the rows of a section: attack, defense, and `file`: title of the test. */
function rowsOf(section: string): { attack: string; defense: string; file: string; title: string }[] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (?:attack|---)/.test(line))
    .map((line) => {
      const [, attack = '', defense = '', shownBy = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(shownBy) ?? [];
      return { attack, defense, file, title };
    });
}

const ROWS = SECTIONS.flatMap(rowsOf);

/** Removes quotes and escapes, so that a title can be compared with its string literal. */
const plain = (text: string): string => text.replaceAll(/[\\'"`]/g, '');

test('every section is read', () => {
  expect(SECTIONS.length).toBeGreaterThanOrEqual(8);
});

describe.skipIf(ROWS.length === 0)('each attack is shown by a test', () => {
  test.each(ROWS)('$attack', ({ attack, defense, file, title }) => {
    expect(attack).not.toBe('');
    expect(defense).not.toBe('');
    expect(existsSync(file), `"${file}" must be a file of tests, written as \`file\`: title`).toBe(true);
    expect(title).not.toBe('');
    expect(plain(readFileSync(file, 'utf8'))).toContain(plain(title));
  });
});
