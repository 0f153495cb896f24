import { expect, test } from 'vitest';
import { formatBytes } from './bytes.ts';

test.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KB'],
  [1_572_864, '1.5 MB'],
  [5 * 1024 ** 3, '5 GB'],
  [3 * 1024 ** 5, '3072 TB'],
])('formats %d as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
