import { expect, test } from 'vitest';
import { busyTimeoutMs } from './busy-timeout.ts';

test('an invocation waits for a busy environment as long as the start of another one takes, within bounds', () => {
  const waits = [undefined, 5, 40, 3000].map(busyTimeoutMs);
  expect(waits).toEqual([15, 15, 40, 100]);
});
