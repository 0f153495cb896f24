import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { appItems, STATIC_GROUPS } from '../../dashboard/shell/palette-items.ts';

test('the command palette has every area and tab of the dashboard', () => {
  const files = [
    'billing/Billing.tsx',
    'ai/Ai.tsx',
    'developers/Developers.tsx',
    'accounts/Settings.tsx',
    'shell/nav.ts',
  ];
  const sources = files.map((file) => readFileSync(`dashboard/${file}`, 'utf8'));
  const paths = sources.flatMap((text) => [...text.matchAll(/href: '([^']+)'/g)].map(([, path = '']) => path));
  // Only operators see their section, and an invitation is opened by its link.
  const isListed = (path: string) => path !== '/invitation' && !path.startsWith('/operator');
  const pages = STATIC_GROUPS.flatMap(({ name, items }) => (name === 'Pages' ? items.map(({ href }) => href) : []));
  expect(pages.toSorted()).toEqual([...new Set(paths)].filter(isListed).toSorted());
});

test('the command palette has every tab of an application, by its name', () => {
  const screen = readFileSync('dashboard/apps/AppScreen.tsx', 'utf8');
  const tabs = [...screen.matchAll(/href: `\$\{home\}(\/\w+)`,\s+name: '([^']+)'/g)].map(([, path, name]) => [
    `/apps/app_1${path}`,
    `shop › ${name}`,
  ]);
  const [, ...items] = appItems({ id: 'app_1', name: 'shop', primaryDomain: '' });
  expect(tabs).not.toEqual([]);
  expect(items.map(({ href, label }) => [href, label])).toEqual(tabs);
});
