import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { listDnsRecords } from '../../contract/dns/records.ts';
import { listDomains } from '../../contract/registrar/domains.ts';
import { newAccount } from '../support/harness.ts';
import { openScreen, POLL, signedInContext } from './browser.ts';

test('a domain is searched for, bought from the wallet and registered; records are added and deleted', async () => {
  const account = await newAccount({ walletCents: 100_000 });
  const page = await openScreen(await signedInContext(account), 'domains');
  const name = `browser-${Date.now()}.co.za`;
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('link', { name: `Register ${name}` }).click();
  await page.getByRole('button', { name: 'Register for R', exact: false }).click();
  expect(await page.getByText('Required', { exact: true }).count()).toBeGreaterThan(3);
  // What is proposed is not what was typed wrongly.
  await page.getByLabel('Phone').focus();
  const [placeholder, error] = await page.evaluate<string[]>(`(() => {
    const field = document.activeElement;
    const ofPlaceholder = getComputedStyle(field, '::placeholder').color;
    field.style.color = 'var(--mantine-color-error)';
    return [ofPlaceholder, getComputedStyle(field).color];
  })()`);
  expect(placeholder).not.toBe(error);
  const owner = { Phone: '+27 21 555 1234', 'Street and number': '1 Long Street', City: 'Cape Town' };
  const address = { Province: 'Western Cape', 'Postal code': '8001' };
  for (const [label, value] of Object.entries({ ...owner, ...address })) await page.getByLabel(label).fill(value);
  await page.getByLabel('Country').selectOption({ label: 'South Africa' });
  await page.getByRole('button', { name: 'Register for R', exact: false }).dblclick();
  const row = page.getByRole('link', { name });
  await row.getByText('Active').waitFor();
  expect((await account.call(listDomains)).body.data).toHaveLength(1);
  await row.click();
  await page.getByLabel('Content').fill('not an address');
  await page.getByRole('button', { name: 'Add record' }).click();
  await page.getByText('This must be', { exact: false }).waitFor();
  await page.getByLabel('Content').fill('192.0.2.10');
  await page.getByRole('button', { name: 'Add record' }).click();
  await page.getByRole('button', { name: `Edit A ${name}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('app');
  await dialog.getByLabel('Content').fill('192.0.2.11');
  await dialog.getByRole('button', { name: 'Save record' }).click();
  await page.getByRole('cell', { name: '192.0.2.11' }).waitFor();
  const remove = page.getByRole('button', { name: `Delete A app.${name}` });
  await remove.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => remove.count(), POLL).toBe(0);
  for (const [typed, shown] of [
    ['@', name],
    [`www.${name}.`, `www.${name}`],
  ] as const) {
    await page.getByLabel('Type', { exact: true }).selectOption('TXT');
    await page.getByLabel('Name', { exact: true }).fill(typed);
    await page.getByLabel('Content').fill('hello');
    await page.getByRole('button', { name: 'Add record' }).click();
    await page.getByRole('button', { name: `Delete TXT ${shown}`, exact: true }).waitFor();
  }
  await page.getByRole('button', { name: `Delete TXT www.${name}` }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => page.getByRole('button', { name: `Delete TXT www.${name}` }).count(), POLL).toBe(0);
  // The button that had the focus went with its row.
  await page.locator(`section:focus[aria-label="DNS records of ${name}"]`).waitFor();
  const id = page.url().split('/').at(-1) ?? '';
  const { data } = (await account.call(listDnsRecords, { params: { id } })).body;
  expect(data.filter(({ type }) => type === 'A')).toEqual([]);
});

test('a taken or premium name cannot be ordered, and an invalid name is rejected with the reason', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'domains');
  await page.getByRole('textbox', { name: 'Name' }).fill('taken-name.com');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.locator('.row', { hasText: 'taken-name.com' }).getByText('Taken', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Register taken-name.com' }).count()).toBe(0);
  await page.getByRole('textbox', { name: 'Name' }).fill('premium-name');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.locator('.row', { hasText: 'premium-name.com' }).getByText('Not sold here').waitFor();
  await page.getByText('None of these can be registered here.', { exact: false }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('not a name');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('alert').getByText('This name must be a word such as example', { exact: false }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('zoë-shop');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('alert').getByText('internationalised names are not sold', { exact: false }).waitFor();
  const results = page.getByRole('link', { name: /^Register / });
  await page.getByRole('textbox', { name: 'Name' }).fill(`back-${Date.now()}`);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await results.first().click();
  await page.getByRole('heading', { name: /^Register / }).waitFor();
  await page.goBack();
  await results.first().waitFor();
  await page.goto('domains/order/taken-name.com');
  await page.getByText('This domain is already registered.').waitFor();
  await page.goto('domains/order/premium-name.com');
  await page.getByText('This is a premium domain', { exact: false }).waitFor();
  expect(await page.getByLabel('Registrant name').count()).toBe(0);
});

async function fillRegistrant(page: Page): Promise<void> {
  const fields = {
    Phone: '+27.215551234',
    'Street and number': '1 Long Street',
    City: 'Cape Town',
    Province: 'Western Cape',
    'Postal code': '8001',
  };
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
}

test('an order whose answer is lost is repeated, and its own name is not said to be taken', async () => {
  const account = await newAccount({ walletCents: 100_000 });
  const name = `lost-${Date.now()}.co.za`;
  const page = await openScreen(await signedInContext(account), `domains/order/${name.toUpperCase()}`);
  await fillRegistrant(page);
  const lose = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await page.route('**/v1/domains', lose, { times: 2 });
  await page.getByRole('button', { name: 'Register for R', exact: false }).click();
  await page.getByRole('alert').waitFor();
  expect((await account.call(listDomains)).body.data).toHaveLength(1);
  await page.getByRole('button', { name: 'Register for R', exact: false }).click();
  await page.getByText('is being registered', { exact: false }).waitFor();
  expect((await account.call(listDomains)).body.data).toHaveLength(1);
});

test('an order that the wallet does not cover states the payment deadline and opens its invoice', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), `domains/order/unpaid-${Date.now()}.co.za`);
  await fillRegistrant(page);
  await page.getByRole('button', { name: 'Register for R', exact: false }).click();
  await page.getByText('within 24 hours', { exact: false }).waitFor();
  await page.getByRole('heading', { name: 'Invoice INV-' }).waitFor();
  await page.getByText('Unpaid', { exact: true }).waitFor();
});

test.each([
  ['EXPIRED', '2026-01-01T00:00:00.000Z', /^Expired .*2026/],
  ['FAILED', null, 'Could not be registered'],
])('a domain that is %s says so, and offers nothing that could only be refused', async (status, expiresAt, text) => {
  const context = await signedInContext(await newAccount());
  const domain = {
    id: 'dom_1',
    name: 'past.co.za',
    tld: 'co.za',
    status,
    autoRenew: true,
    registeredAt: expiresAt,
    expiresAt,
    nameservers: status === 'FAILED' ? [] : ['ns1.platform.example'],
    dnsProvider: 'PLATFORM',
  };
  const fulfil = (body: object) => (route: Route) => route.fulfill({ json: body });
  await context.route('**/v1/domains/dom_1', fulfil({ data: domain }));
  await context.route('**/v1/domains/dom_1/dns', fulfil({ data: [], provider: 'PLATFORM' }));
  await context.route('**/v1/domains*', fulfil({ data: [domain], has_more: false }));
  const page = await openScreen(context, 'domains/dom_1');
  await page.getByText(text).waitFor();
  expect(await page.getByText('Name servers', { exact: false }).count()).toBe(0);
  // An order that was not paid in time fails as well.
  expect(await page.getByText('If you paid for it, the payment was refunded', { exact: false }).count()).toBe(
    status === 'FAILED' ? 1 : 0,
  );
  expect(await page.getByRole('button', { name: 'Add record' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Stop renewing' }).count()).toBe(0);
  await page
    .getByRole('link', { name: status === 'FAILED' ? 'Search for another name' : 'Domains' })
    .last()
    .click();
  await page.getByText(text).waitFor();
  expect(await page.getByText('managed DNS', { exact: false }).count()).toBe(0);
});
