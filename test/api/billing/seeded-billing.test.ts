import { expect, test } from 'vitest';
import { getAccount } from '../../../contract/accounts/accounts.ts';
import { listInvoices } from '../../../contract/billing/invoices.ts';
import { getWallet } from '../../../contract/billing/wallet.ts';
import { getHosting, listHosting } from '../../../contract/hosting/hosting.ts';
import { clientOf, codeOf, local } from '../../support/harness.ts';

const { demo, other } = local.accounts;

test('the demo account has a wallet, a plan, invoices of each status, and web hosting with two mailboxes', async () => {
  const client = clientOf({ secretKey: demo.keys.read });
  const { data: account } = (await client.call(getAccount)).body;
  expect(account.plan).toEqual({ slug: 'app-10', name: 'App 10', appLimit: 10 });
  const { transactions } = (await client.call(getWallet)).body.data;
  expect(transactions.at(-1)).toMatchObject({ type: 'ADJUSTMENT', amount: '5000.00', balanceAfter: '5000.00' });
  for (const status of ['PAID', 'UNPAID', 'VOID'] as const)
    expect((await client.call(listInvoices, { query: { status } })).body.data.length).toBeGreaterThan(0);
  const [hosting] = (await client.call(listHosting)).body.data;
  expect(hosting).toMatchObject({ status: 'ACTIVE', panelStatus: 'ACTIVE', mailboxes: 2 });
  const live = (await client.call(getHosting, { params: { id: hosting?.id ?? '' } })).body.data;
  expect(live.mailboxes).toHaveLength(2);
});

test('the other account has an empty wallet, a plan of one application, and web hosting on a server that does not respond', async () => {
  const client = clientOf({ secretKey: other.keys.read });
  const { data: account } = (await client.call(getAccount)).body;
  expect(account).toMatchObject({ walletBalance: '0.00', plan: { slug: 'app-1', appLimit: 1 } });
  const [hosting] = (await client.call(listHosting)).body.data;
  const live = await client.call(getHosting, { params: { id: hosting?.id ?? '' } });
  expect([live.status, codeOf(live)]).toEqual([502, 'server_error']);
});
