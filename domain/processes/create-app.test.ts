import { expect, test } from 'vitest';
import { slugOf } from '../apps.ts';

test.each([
  ['My Shop', 'my-shop'],
  ['  --Hello,   World!--', 'hello-world'],
  ['Café Zürich', 'cafe-zurich'],
  ['日本', 'app'],
  ['!!', 'app'],
  [`${'a'.repeat(49)} b c`, 'a'.repeat(49)],
])('the slug of %j is %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
