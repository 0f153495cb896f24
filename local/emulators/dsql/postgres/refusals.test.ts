import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RULES } from './refusals.ts';

test('docs/databases.md lists the refused features and their alternatives', () => {
  const text = readFileSync('docs/databases.md', 'utf8');
  const [, table = ''] = /<!-- refusals:begin -->\n([\s\S]*?)<!-- refusals:end -->/.exec(text) ?? [];
  const rows = RULES.map(({ feature, hint = '' }) => `| ${feature} | ${hint} |`);
  expect(table.trim().split('\n').slice(2)).toEqual(rows);
});
