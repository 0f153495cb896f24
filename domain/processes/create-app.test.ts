import { expect, test } from 'vitest';
import { RESERVED_SLUGS } from '../../contract/apps/reserved-slugs.ts';
import { toSlug } from './create-app.ts';

test.each([
  ['My Shop', 'my-shop'],
  ['  --Hello,   World!--', 'hello-world'],
  ['Café Zürich', 'cafe-zurich'],
  ['日本', 'app'],
  ['!!', 'app'],
  [`${'a'.repeat(49)} b c`, 'a'.repeat(49)],
])('the slug of %j is %j', (name, slug) => {
  expect(toSlug(name)).toBe(slug);
});

test('reserved slugs are written as slugs are, and cover the names that visitors trust', () => {
  expect([...RESERVED_SLUGS].filter((slug) => toSlug(slug) !== slug)).toEqual([]);
  for (const name of ['WWW', 'API', 'login', ' Admin ', 'Billing', 'Mail', 'autodiscover', 'wpad']) {
    expect(RESERVED_SLUGS.has(toSlug(name)), name).toBe(true);
  }
});
