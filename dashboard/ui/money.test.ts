import { expect, test } from 'vitest';
import { addVat } from './money.ts';

test('a price with VAT is rounded half up to cents, as its invoice is', () => {
  expect(['79.00', '49', '0.30', 99.99].map(addVat)).toEqual([90.85, 56.35, 0.35, 114.99]);
});
