import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Paths outside of the dashboard's frame: they belong to the login, and `session.test.ts` opens them. */
const OF_THE_LOGIN = ['/callback', '/sign-in'];

/** Replaces what stands for a resource by a colon, and leaves the query out. */
const normalize = (path: string): string =>
  path
    .replace(/^\$\{home\}/, '/apps/:')
    .replace(/:\w+|\$\{[^}]+\}|example\.co\.za/g, ':')
    .replace(/\?.*$/, '');

test('the browser tests open every route, area and tab of the dashboard', () => {
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
  expect([...paths].filter((path) => !opened.has(path) && !OF_THE_LOGIN.includes(path))).toEqual([]);
});
