import { expect, test } from 'vitest';
import { newCardError } from './card-risk.ts';

test('names the minute at which money of a new card is available, and never an earlier one', () => {
  const of = { spendableCents: 100_000, withheld: 40_000, now: '2026-01-31T09:00:00.000Z' };
  const said = (until: string) => newCardError({ newCardHolds: [{ amountCents: 1, until }] }, of).message;
  expect(said('2026-01-31T09:59:00.001Z')).toContain('The other R400.00 is available from 2026-01-31 10:00 UTC, ');
  expect(said('2026-01-31T09:59:00.000Z')).toContain('is available from 2026-01-31 09:59 UTC, ');
});

test('names the end of the last of several holds, in whatever order they began', () => {
  const [sooner, later] = ['2026-01-31T09:30:00.000Z', '2026-01-31T09:50:00.000Z'];
  const newCardHolds = [later, sooner].map((until) => ({ amountCents: 1, until }));
  const of = { spendableCents: 100_000, withheld: 40_000, now: '2026-01-31T09:00:00.000Z' };
  expect(newCardError({ newCardHolds }, of).message).toContain('from 2026-01-31 09:50 UTC, ');
});
