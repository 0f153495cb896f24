import { expect, test } from 'vitest';
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
