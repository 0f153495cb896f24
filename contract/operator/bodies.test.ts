import { expect, test } from 'vitest';
import { BuyCreditsInput } from '../ai/gateway.ts';
import { adjustMoney, openCustomerAccount } from './actions.ts';
import { adoptCustomerDomain, saveHostingServer } from './settings.ts';

const reason = 'A test.';
const plan = { slug: 'app-1', name: 'App 1', appLimit: 1 };
const grantOf = (hostingDomain: string) => ({ plan: 'web-starter', billingCycle: 'MONTHLY', hostingDomain });
const registrant = {
  name: 'Thandi',
  email: 'thandi@example.com',
  contactNumber: '+27.215550123',
  address1: '1 Long Street',
  city: 'Cape Town',
  province: 'Western Cape',
  postalCode: '8001',
  country: 'ZA',
};
const server = { reason, baseUrl: 'https://panel.example.com', user: 'root', open: true };

test.each([
  ['a hosting domain that is no domain', adjustMoney, { reason, grant: grantOf('no domain') }],
  [
    'a key with a name of two lines',
    openCustomerAccount,
    { email: 'a@example.com', keys: [{ name: 'a\nb', scopes: ['read'] }] },
  ],
  ['an account with a name of two lines', openCustomerAccount, { email: 'a@example.com', name: 'a\u2028b' }],
  ['a description of two lines', adjustMoney, { reason, wallet: { amount: '1.00', description: 'a\nb' } }],
  ['an email address of 255 characters', openCustomerAccount, { email: `${'a'.repeat(243)}@example.com` }],
  ['a long address of a server', saveHostingServer, { ...server, baseUrl: `https://${'a'.repeat(2048)}.example` }],
  ['a long user of a server', saveHostingServer, { ...server, user: 'a'.repeat(65) }],
  ['a long token of a server', saveHostingServer, { ...server, token: 'a'.repeat(4097) }],
] as const)('refuses %s', (_, { body }, given) => {
  const result = body?.().safeParse({ reason, name: 'Shop', plan, ...given });
  expect(result?.error?.issues).toHaveLength(1);
});

test('reads names and addresses as those of customers', () => {
  expect(adjustMoney.body?.().parse({ reason, grant: grantOf(' Shop.Example ') })).toMatchObject({
    grant: { hostingDomain: 'shop.example' },
  });
  const opened = { reason, email: 'Thandi@Example.com', name: 'Shop', plan };
  expect(openCustomerAccount.body?.().parse(opened)).toMatchObject({ email: 'thandi@example.com' });
  const adopted = { reason, domain: ' Shop.Example ', registrant };
  expect(adoptCustomerDomain.body?.().parse(adopted)).toMatchObject({ domain: 'shop.example' });
});

test.each([
  ['1.00', true],
  ['999999.99', true],
  ['0.99', false],
  ['1000000.00', false],
  ['12.5', false],
])('AI credits are bought for rand between limits: %s', (amount, isAccepted) => {
  expect(BuyCreditsInput().safeParse({ amount }).success).toBe(isAccepted);
});
