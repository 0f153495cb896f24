import { expect, test } from 'vitest';
import { accountSimulation } from '../../test/simulation/accounts.ts';
import { readAccount } from './account.ts';

test('an operator sees every endpoint, also beyond the limit of plans, to be able to suspend it', async () => {
  const { deps, accountId: id, addWebhook } = await accountSimulation();
  for (let count = 0; count < 25; count += 1) await addWebhook();
  const { data } = await readAccount(deps, { accountId: '', keyId: '' }, { id });
  expect(data.endpoints).toHaveLength(25);
});
