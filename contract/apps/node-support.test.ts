import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NODE_VERSIONS } from '../enums.ts';
import { NODE_SUPPORT, nodeSupportWarning } from './node-support.ts';

test('warns of a version of Node from the day on which its support ends', () => {
  expect(nodeSupportWarning('20', new Date('2026-04-29T23:59:59Z'))).toBeUndefined();
  expect(nodeSupportWarning('20', new Date('2026-04-30T00:00:00Z'))).toMatch(
    /^warning: Node 20 .* from about 2027-03-03/,
  );
  expect(nodeSupportWarning('24', new Date('2026-11-22T00:00:00Z'))).toBeUndefined();
});

test('docs/starters.md has the dates of every version', () => {
  const page = readFileSync('docs/starters.md', 'utf8');
  for (const version of NODE_VERSIONS) {
    const { deprecated, blocked } = NODE_SUPPORT[version];
    expect(page).toContain(`| ${version} | ${deprecated} | ${blocked} |`);
  }
});
