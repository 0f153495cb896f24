import { expect, test } from 'vitest';
import { getAccount } from '../../../contract/accounts/accounts.ts';
import { getInvoice, listInvoices } from '../../../contract/billing/invoices.ts';
import { createTopUp } from '../../../contract/billing/top-ups.ts';
import { getWallet } from '../../../contract/billing/wallet.ts';
import { listDnsRecords } from '../../../contract/dns/records.ts';
import { checkDomain } from '../../../contract/registrar/catalogue.ts';
import { getDomain, listDomains } from '../../../contract/registrar/domains.ts';
import { orderDomain } from '../../../contract/registrar/orders.ts';
import { updateDomain } from '../../../contract/registrar/renewal.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { findDomain, registerDomain, registrant, uniqueDomain } from '../../support/domains.ts';
import { clientOf, codeOf, local, newAccount, raw, waitFor } from '../../support/harness.ts';
import { receiver } from '../../support/receivers.ts';

const RICH = { walletCents: 500_000 };

test('an order is paid from the wallet, and the domain is registered', async () => {
  const account = await newAccount(RICH);
  const name = uniqueDomain();
  const { invoice, domain } = await registerDomain(account, name);
  expect(invoice).toMatchObject({ kind: 'DOMAIN', status: 'PAID', amount: '113.85', vat: '14.85' });
  expect(domain).toMatchObject({ name, tld: 'co.za', status: 'ACTIVE', autoRenew: true, dnsProvider: 'PLATFORM' });
  expect(domain.nameservers.length).toBeGreaterThanOrEqual(2);
  const { registeredAt, expiresAt } = domain;
  const aYearLater = new Date(registeredAt ?? '');
  aYearLater.setUTCFullYear(aYearLater.getUTCFullYear() + 1);
  expect(expiresAt).toBe(aYearLater.toISOString());
  expect(Date.parse(registeredAt ?? '')).toBeGreaterThanOrEqual(Date.parse(invoice.issuedAt));
  const { lines } = (await account.call(getInvoice, { params: { id: invoice.id } })).body.data;
  expect(lines).toEqual([{ description: `Registration of ${name}, 1 year`, amount: '113.85' }]);
  const { balance, transactions } = (await account.call(getWallet)).body.data;
  expect(balance).toBe('4886.15');
  expect(transactions[0]).toMatchObject({ type: 'PAYMENT', amount: '-113.85', balanceAfter: '4886.15' });
});

test('sends domain.registered after the registration', async () => {
  const account = await newAccount(RICH);
  const { url, received, stop } = await receiver();
  await account.call(createWebhook, { body: { url, events: ['domain.registered'] } });
  const { domain } = await registerDomain(account);
  const event = await waitFor(async () => received[0]);
  expect(JSON.parse(event.body)).toMatchObject({
    type: 'domain.registered',
    data: { domainId: domain.id, domain: domain.name },
  });
  await stop();
});

test('a term beyond the registry’s maximum is invoiced and shown in full', async () => {
  const account = await newAccount(RICH);
  const { invoice, domain } = await registerDomain(account, uniqueDomain(), { years: 3 });
  expect(invoice.amount).toBe('341.55');
  const years =
    new Date(domain.expiresAt ?? '').getUTCFullYear() - new Date(domain.registeredAt ?? '').getUTCFullYear();
  expect(years).toBe(3);
});

test('custom name servers make the domain’s DNS EXTERNAL', async () => {
  const account = await newAccount(RICH);
  const nameservers = ['ns1.example.net', 'NS2.example.net.'];
  const { domain } = await registerDomain(account, uniqueDomain(), { nameservers });
  expect(domain).toMatchObject({
    status: 'ACTIVE',
    dnsProvider: 'EXTERNAL',
    nameservers: ['ns1.example.net', 'ns2.example.net'],
  });
});

test('an order without sufficient balance is UNPAID and reserves the name', async () => {
  const [account, other] = [await newAccount(), await newAccount(RICH)];
  const domain = uniqueDomain();
  const answer = await account.call(orderDomain, { body: { domain, registrant } });
  const { invoice } = answer.body.data;
  expect(invoice).toMatchObject({ status: 'UNPAID', paidAt: null, amount: '113.85' });
  // The name is reserved for a day, which is also the payment deadline.
  expect(Date.parse(invoice.dueAt) - Date.parse(invoice.issuedAt)).toBe(24 * 3_600_000);
  const pending = await findDomain(account, domain);
  expect(pending).toMatchObject({ status: 'PENDING', registeredAt: null, expiresAt: null });
  const refused = await other.call(orderDomain, { body: { domain, registrant } });
  expect([refused.status, codeOf(refused)]).toEqual([409, 'conflict']);
  const [found] = (await other.call(checkDomain, { query: { q: domain } })).body.data;
  expect(found).toMatchObject({ domain, available: false });
  expect((await other.call(getAccount)).body.data.walletBalance).toBe('5000.00');
});

test('the owner turns the renewal of a domain off and on', async () => {
  const account = await newAccount(RICH);
  const { domain } = await registerDomain(account, uniqueDomain());
  const params = { id: domain.id };
  const set = (body: object, of = account) => of.dashboard.call(updateDomain, { params, body } as never);
  for (const autoRenew of [false, false, true]) {
    const { status, body } = await set({ autoRenew });
    expect([status, body.data.autoRenew]).toEqual([200, autoRenew]);
    expect((await account.call(getDomain, { params })).body.data.autoRenew).toBe(autoRenew);
  }
  for (const body of [{}, { autoRenew: 'no' }, { autoRenew: null }]) {
    const refused = await set(body);
    expect([codeOf(refused), refused.error?.message]).toEqual([
      'invalid_request',
      expect.stringMatching(/^autoRenew: /),
    ]);
  }
  expect(codeOf(await set({ autoRenew: false }, await newAccount()))).toBe('not_found');
  const poor = await newAccount();
  const order = { domain: uniqueDomain(), registrant };
  await poor.call(orderDomain, { body: order });
  const { id } = await findDomain(poor, order.domain);
  const pending = await poor.dashboard.call(updateDomain, { params: { id }, body: { autoRenew: false } });
  expect(codeOf(pending)).toBe('conflict');
});

test('a name refused by the registrar is refunded: invoice VOID, domain FAILED, name free', async () => {
  const account = await newAccount(RICH);
  const name = uniqueDomain('refused', 'com');
  const { invoice, domain } = await registerDomain(account, name);
  expect(invoice.status).toBe('PAID');
  expect(domain.status).toBe('FAILED');
  expect((await account.call(getInvoice, { params: { id: invoice.id } })).body.data.status).toBe('VOID');
  const { balance, transactions } = (await account.call(getWallet)).body.data;
  expect(balance).toBe('5000.00');
  expect(transactions.slice(0, 2).map(({ type, amount }) => [type, amount])).toEqual([
    ['REFUND', invoice.amount],
    ['PAYMENT', `-${invoice.amount}`],
  ]);
  const [found] = (await account.call(checkDomain, { query: { q: name } })).body.data;
  expect(found).toMatchObject({ available: true });
});

test('waits for a slow registry', async () => {
  const account = await newAccount(RICH);
  const { domain } = await registerDomain(account, uniqueDomain('slow'));
  expect(domain.status).toBe('ACTIVE');
});

test('of ten concurrent orders of one name one gets it and pays', async () => {
  const accounts = await Promise.all(Array.from({ length: 10 }, () => newAccount(RICH)));
  const domain = uniqueDomain('race', 'com');
  const answers = await Promise.all(accounts.map((each) => each.call(orderDomain, { body: { domain, registrant } })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  const balances = await Promise.all(accounts.map(async (each) => (await each.call(getWallet)).body.data.balance));
  expect(balances.filter((balance) => balance === '5000.00')).toHaveLength(9);
});

test('an order repeated with its Idempotency-Key is one order', async () => {
  const account = await newAccount(RICH);
  const body = JSON.stringify({ domain: uniqueDomain(), registrant });
  const headers = { authorization: `Bearer ${account.secretKey}`, 'idempotency-key': 'one' };
  const order = async () => {
    const answer = await raw('/v1/domains', { method: 'POST', headers, body });
    return { status: answer.status, body: await answer.json() };
  };
  const first = await order();
  expect(first.status).toBe(201);
  expect(await order()).toEqual(first);
  expect((await account.call(listInvoices)).body.data).toHaveLength(1);
});

test.each([
  ['taken', 'taken-name.com'],
  ['premium', 'premium-name.com'],
])('a %s name is 409 and charges nothing', async (_what, domain) => {
  const account = await newAccount(RICH);
  const answer = await account.call(orderDomain, { body: { domain, registrant } });
  expect([answer.status, codeOf(answer)]).toEqual([409, 'conflict']);
  expect((await account.call(listInvoices)).body.data).toEqual([]);
});

const owner = (changes: object) => ({ registrant: { ...registrant, ...changes } });
test.each([
  ['no domain', { domain: undefined }, 'domain'],
  ['a number for a domain', { domain: 5 }, 'domain'],
  ['an empty domain', { domain: '' }, 'domain'],
  ['a bare label', { domain: 'example' }, 'domain'],
  ['an extension that is not sold', { domain: 'example.invalid' }, 'domain'],
  ['a host in a domain', { domain: 'www.example.co.za' }, 'domain'],
  ['an underscore', { domain: 'my_shop.co.za' }, 'domain'],
  ['a hyphen first', { domain: '-shop.co.za' }, 'domain'],
  ['a space', { domain: 'my shop.co.za' }, 'domain'],
  ['a label of 64 characters', { domain: `${'a'.repeat(64)}.co.za` }, 'domain'],
  ['a letter that is not ASCII', { domain: 'münchen.com' }, 'domain'],
  ['punycode', { domain: 'xn--mnchen-3ya.com' }, 'domain'],
  ['no years', { years: 0 }, 'years'],
  ['eleven years', { years: 11 }, 'years'],
  ['half a year', { years: 0.5 }, 'years'],
  ['years as text', { years: '1' }, 'years'],
  ['one name server', { nameservers: ['ns1.example.net'] }, 'nameservers'],
  ['six name servers', { nameservers: [1, 2, 3, 4, 5, 6].map((n) => `ns${n}.example.net`) }, 'nameservers'],
  ['the same name server twice', { nameservers: ['ns1.example.net', 'NS1.example.net'] }, 'nameservers'],
  ['an address for a name server', { nameservers: ['192.0.2.1', 'ns2.example.net'] }, 'nameservers'],
  ['a bare label for a name server', { nameservers: ['ns1', 'ns2.example.net'] }, 'nameservers'],
  ['name servers that are no list', { nameservers: 'ns1.example.net,ns2.example.net' }, 'nameservers'],
  ['a name server inside the domain', { nameservers: ['ns1.bad-order.co.za', 'ns2.example.net'] }, 'nameservers'],
  ['no registrant', { registrant: undefined }, 'registrant'],
  ['a registrant that is text', { registrant: 'Thandi' }, 'registrant'],
  ['no name', owner({ name: undefined }), 'registrant.name'],
  ['a blank name', owner({ name: '  ' }), 'registrant.name'],
  ['a name of 256 characters', owner({ name: 'a'.repeat(256) }), 'registrant.name'],
  ['a name of two lines', owner({ name: 'Thandi\nMokoena' }), 'registrant.name'],
  ['no email address', owner({ email: undefined }), 'registrant.email'],
  ['an email address without @', owner({ email: 'thandi.example.co.za' }), 'registrant.email'],
  ['an email address of 255 characters', owner({ email: `${'a'.repeat(243)}@example.com` }), 'registrant.email'],
  ['a number without its country', owner({ contactNumber: '0215551234' }), 'registrant.contactNumber'],
  ['a number without the dot', owner({ contactNumber: '+27215551234' }), 'registrant.contactNumber'],
  ['a number with letters', owner({ contactNumber: '+27.21555CALL' }), 'registrant.contactNumber'],
  ['a country code of four digits', owner({ contactNumber: '+2700.215551234' }), 'registrant.contactNumber'],
  ['a number that is a number', owner({ contactNumber: 27215551234 }), 'registrant.contactNumber'],
  ['no address', owner({ address1: '' }), 'registrant.address1'],
  ['a long address', owner({ address1: 'a'.repeat(256) }), 'registrant.address1'],
  ['no city', owner({ city: undefined }), 'registrant.city'],
  ['no province', owner({ province: null }), 'registrant.province'],
  ['no postal code', owner({ postalCode: '' }), 'registrant.postalCode'],
  ['a postal code that is a number', owner({ postalCode: 8001 }), 'registrant.postalCode'],
  ['a country by its name', owner({ country: 'South Africa' }), 'registrant.country'],
  ['a country that is none', owner({ country: 'ZZ' }), 'registrant.country'],
  ['a country in lower case', owner({ country: 'za' }), 'registrant.country'],
  ['alpha-3', owner({ country: 'ZAF' }), 'registrant.country'],
])('an order with %s is 400 naming the field', async (_what, changes, field) => {
  const account = await newAccount(RICH);
  const body = JSON.stringify({ domain: 'bad-order.co.za', registrant, ...changes });
  const headers = { authorization: `Bearer ${account.secretKey}` };
  const answer = await raw('/v1/domains', { method: 'POST', headers, body });
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  expect([answer.status, error.code]).toEqual([400, 'invalid_request']);
  expect(error.message.split(':')[0]).toMatch(new RegExp(`^${field.replace('.', '\\.')}(\\.\\d+)?$`));
});

test('an order requires the domains scope', async () => {
  const account = await newAccount({ ...RICH, scopes: ['read', 'write'] });
  const answer = await account.call(orderDomain, { body: { domain: uniqueDomain(), registrant } });
  expect([answer.status, codeOf(answer)]).toEqual([403, 'insufficient_scope']);
});

test('lists domains newest first, page by page, without those of other accounts', async () => {
  const account = await newAccount(RICH);
  const names = [uniqueDomain(), uniqueDomain(), uniqueDomain()];
  for (const domain of names) await account.call(orderDomain, { body: { domain, registrant } });
  await waitFor(async () => (await account.call(listDomains)).body.data.length === 3);
  const page = async (limit: number, offset: number) => {
    const query = { limit: String(limit), offset: String(offset) };
    const { data, has_more } = (await account.call(listDomains, { query })).body;
    return [data.map(({ name }) => name), has_more];
  };
  const newest = names.toReversed();
  expect(await page(2, 0)).toEqual([newest.slice(0, 2), true]);
  expect(await page(2, 2)).toEqual([newest.slice(2), false]);
  const [first] = (await account.call(listDomains)).body.data;
  const stranger = await newAccount();
  const answer = await stranger.call(getDomain, { params: { id: first?.id ?? '' } });
  expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  const anonymous = await clientOf({}).call(listDomains);
  expect(anonymous.status).toBe(401);
});

test('the demo account starts with an active domain whose records the name servers serve', async () => {
  const { accounts } = local;
  const demo = clientOf({ secretKey: accounts.demo.secretKey });
  const [domain] = (await demo.call(listDomains)).body.data.filter(({ name }) => name === 'demo-shop.co.za');
  expect(domain).toMatchObject({ status: 'ACTIVE', dnsProvider: 'PLATFORM', tld: 'co.za' });
  const { data } = (await demo.call(listDnsRecords, { params: { id: domain?.id ?? '' } })).body;
  expect(data.map(({ type }) => type).sort()).toEqual(['A', 'A', 'AAAA', 'CNAME', 'MX', 'TXT']);
});

test('an order with an empty wallet is UNPAID; a top-up pays it, and the domain is registered', async () => {
  const account = await newAccount();
  const name = uniqueDomain();
  const { invoice } = (await account.call(orderDomain, { body: { domain: name, registrant } })).body.data;
  expect(invoice.status).toBe('UNPAID');
  const topUp = (await account.dashboard.call(createTopUp, { body: { amount: '150.00' } })).body.data;
  expect((await fetch(topUp.paymentUrl, { method: 'POST' })).status).toBe(200);
  const domain = await waitFor(async () => {
    const found = await findDomain(account, name);
    return found.status !== 'PENDING' && found;
  });
  expect(domain.status).toBe('ACTIVE');
  expect((await account.call(getInvoice, { params: { id: invoice.id } })).body.data.status).toBe('PAID');
  expect((await account.call(getWallet)).body.data.balance).toBe('36.15');
});
