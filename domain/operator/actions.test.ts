import { expect, test } from 'vitest';
import { accountSimulation } from '../../test/simulation/accounts.ts';
import { adjustMoney } from './actions.ts';

const OPERATOR = { accountId: '', keyId: '' };

test.each([
  ['wallet.amount', { wallet: { amount: '-0.00', description: 'Nothing' } }, 'must not be 0.00'],
  ['credits.amount', { credits: { amount: '0.00' } }, 'must not be 0.00'],
  ['invoice.amount', { invoice: { kind: 'PLAN', description: 'Nothing', amount: '-1.00' } }, 'must be more than 0.00'],
] as const)('the error of an adjustment names the field %s', async (field, adjustment, problem) => {
  const { deps, accountId: id } = await accountSimulation();
  const given = { id, reason: 'Goodwill', ...adjustment };
  const adjusting = adjustMoney({ ...deps, plans: async () => [] }, OPERATOR, given);
  await expect(adjusting).rejects.toMatchObject({ code: 'invalid_request', message: `${field}: ${problem}` });
});
