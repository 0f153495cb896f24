import { expect, test } from 'vitest';
import { toRelativeName } from './relative-name.ts';

test.each([
  ['', ''],
  ['@', ''],
  ['shop.co.za', ''],
  ['Shop.co.za.', ''],
  ['www', 'www'],
  [' www.shop.co.za ', 'www'],
  ['_hosting.www.shop.co.za.', '_hosting.www'],
  ['myshop.co.za', 'myshop.co.za'],
])('%j is %j below shop.co.za', (name, relative) => {
  expect(toRelativeName(name, 'shop.co.za')).toBe(relative);
});
