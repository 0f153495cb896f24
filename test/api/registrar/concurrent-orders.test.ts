import { expect, test } from 'vitest';
import { listInvoices } from '../../../contract/billing/invoices.ts';
import { getWallet } from '../../../contract/billing/wallet.ts';
import { listDomainPrices } from '../../../contract/registrar/catalogue.ts';
import { orderDomain } from '../../../contract/registrar/orders.ts';
import { codeOf, newAccount, setLimits } from '../../support/harness.ts';

const ORDERS = 50;
const COVERED = 30;
const UNPAID = 3;

const registrant = {
  name: 'Thandi Mokoena',
  email: 'thandi@example.co.za',
  contactNumber: '+27.215551234',
  country: 'ZA',
  address1: '1 Long Street',
  city: 'Cape Town',
  province: 'Western Cape',
  postalCode: '8001',
};

test('of 50 concurrent orders on one wallet as many are paid as it covers, and unpaid ones stay within their limit', async () => {
  const prices = (await (await newAccount()).call(listDomainPrices)).body.data;
  const price = prices.find(({ tld }) => tld === 'com')?.registration ?? 0;
  const cents = Math.floor((price * 100 * 115 + 50) / 100);
  const account = await newAccount({ walletCents: cents * COVERED + cents - 1 });
  await setLimits(account.id, { unpaidDomainOrders: UNPAID });
  const answers = await Promise.all(
    Array.from({ length: ORDERS }, (_, at) =>
      account.call(orderDomain, { body: { domain: `at-once-${at}-${account.id.slice(-8)}.com`, registrant } }),
    ),
  );
  const accepted = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.map(codeOf)).toEqual(Array.from({ length: ORDERS - COVERED - UNPAID }, () => 'conflict'));
  const invoices = accepted.map(({ body }) => body.data.invoice);
  expect(invoices.filter(({ status }) => status === 'PAID')).toHaveLength(COVERED);
  expect(new Set(invoices.map(({ number }) => number)).size).toBe(COVERED + UNPAID);
  const { balance, transactions } = (await account.call(getWallet)).body.data;
  expect(Number(balance) * 100).toBeCloseTo(cents - 1);
  const inOrder = transactions.toReversed().map(({ amount, balanceAfter }) => [amount, balanceAfter].map(Number));
  let sum = 0;
  for (const [amount = 0, after] of inOrder) {
    sum += amount;
    expect(after).toBeCloseTo(sum);
    expect(after).toBeGreaterThanOrEqual(0);
  }
  expect((await account.call(listInvoices, { query: { limit: '100' } })).body.data).toHaveLength(COVERED + UNPAID);
});
