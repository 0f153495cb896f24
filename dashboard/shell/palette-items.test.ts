import { expect, test } from 'vitest';
import { appItems, type PaletteGroup, STATIC_GROUPS, searchGroups } from './palette-items.ts';

const apps: PaletteGroup = {
  name: 'Applications',
  items: ['shop', 'blog', 'shop-admin'].flatMap((name) =>
    appItems({ id: `app_${name}`, name, primaryDomain: `${name}.apps.localhost` }),
  ),
};
const labels = (query: string) =>
  searchGroups([apps, ...STATIC_GROUPS], query).flatMap(({ items }) => items.map(({ label }) => label));

test('without a search the applications, actions and pages are shown, and no tabs', () => {
  expect(labels('').slice(0, 4)).toEqual(['shop', 'blog', 'shop-admin', 'New application']);
});

test('every word of a search must be found, in the name or beside it', () => {
  expect(labels('blog vari')).toEqual(['blog › Variables']);
  expect(labels('env blog')).toEqual(['blog › Variables']);
  expect(labels('app_blog')[0]).toBe('blog');
  expect(labels('nothing like it')).toEqual([]);
  expect(labels('token')).toEqual(['Create an API key', 'API keys']);
});

test('a label that begins with the search comes first', () => {
  const other = { id: 'x', label: 'My shop', href: '/' };
  const found = searchGroups([{ name: 'All', items: [other, ...apps.items] }], 'shop');
  expect(found[0]?.items[0]?.label).toBe('shop');
});
