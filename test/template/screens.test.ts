import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Screens that the walk of all screens leaves out, and the test that opens them. */
const OPENED_ELSEWHERE: Readonly<Record<string, string>> = {
  '/callback': 'session.test.ts',
  '/sign-in': 'session.test.ts',
  '/hosting/:': 'hosting.test.ts',
  '/invitation': 'developers.test.ts',
  '/operator/flags': 'operators.test.ts',
  '/operator/migrations': 'operators.test.ts',
};

/** Replaces what stands for a resource by a colon, and leaves the query out. */
const normalize = (path: string): string =>
  path
    .replace(/^\$\{home\}/, '/apps/:')
    .replace(/:\w+|\$\{[^}]+\}|example\.co\.za/g, ':')
    .replace(/\?.*$/, '');

test('the walk of all screens opens every route, area and tab of the dashboard, or another test does', () => {
  const sources = globSync('dashboard/**/*.{ts,tsx}').map((file) => readFileSync(file, 'utf8'));
  const find = (pattern: RegExp) => sources.flatMap((text) => [...text.matchAll(pattern)].map(([, path = '']) => path));
  // Tabs have routes of their own below this one.
  const routes = find(/<Route path="([^"]+)"/g).filter((path) => !path.endsWith('/:tab?'));
  const links = find(/href: ['`]((?:\/|\$\{home\})[^'`]*)['`]/g);
  const lists = globSync('test/browser/screen*.ts').map((file) => readFileSync(file, 'utf8'));
  const [, listed = ''] = /export const SCREENS = \[([^\]]*)\]/.exec(lists.join('\n')) ?? [];
  const opened = new Set([...listed.matchAll(/'([^']+)'/g)].map(([, path = '']) => normalize(path)));
  expect(links.length).toBeGreaterThan(50);
  const paths = new Set([...routes, ...links].map(normalize));
  const missing = [...paths].filter((path) => !opened.has(path));
  expect(missing.toSorted()).toEqual(Object.keys(OPENED_ELSEWHERE).toSorted());
});
