import { expect, test } from 'vitest';
import { cardSimulation } from '../../test/simulation/card-payments.ts';
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

test('an amount to top up comes with the time until which a purchase waits all the same', async () => {
  const run = await cardSimulation();
  await run.payIn(6000);
  const missing = 'Insufficient wallet balance: R1000.00 is missing. Top up first.';
  await expect(run.buy('PLAN', 7000)).rejects.toMatchObject({ message: missing });
  const end = new Date(run.clock.now + 3600_000).toISOString();
  const wait = `R1000.00 of the wallet can buy domains and AI credits only from ${end.slice(0, 10)} ${end.slice(11, 16)} UTC, because a card that is new to this account has paid in.`;
  await expect(run.buy('DOMAIN', 7000)).rejects.toMatchObject({ message: `${missing} ${wait}` });
});
