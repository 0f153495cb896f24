import { expect, test } from 'vitest';
import { shareOf } from './Meter.tsx';

test('a limit of zero counts as reached', () => {
  expect([shareOf(0, 0), shareOf(3, 0), shareOf(1, 4), shareOf(5, 4)]).toEqual([1, 1, 0.25, 1]);
});
