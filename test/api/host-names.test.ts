import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { createSubscription } from '../../contract/billing/subscriptions.ts';
import type { ApiResponse } from '../../contract/client.ts';
import { setCustomDomain } from '../../contract/custom-domains/custom-domains.ts';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { checkDomain } from '../../contract/registrar/catalogue.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { registerDomain, registrant, uniqueDomain } from '../support/domains.ts';
import { newAccount, type OpenedAccount } from '../support/harness.ts';

/** One rule of what a host name is (contract/host-names/host-names.ts), held by every place of the API that takes one. */

/** Several accounts, so that none reaches its rate limit. */
let account: OpenedAccount;
let buyer: OpenedAccount;
let owner: OpenedAccount;
let domainId: string;
beforeAll(async () => {
  const funded = { walletCents: 10_000_000, appLimit: 100 };
  [account, buyer, owner] = await Promise.all([newAccount(funded), newAccount(funded), newAccount(funded)]);
  domainId = (await registerDomain(owner)).domain.id;
});

interface Place {
  /** The field that a refusal names. */
  field: string;
  send: (name: string) => Promise<ApiResponse<unknown>>;
}

const order = (domain: string, nameservers?: string[]) =>
  buyer.call(orderDomain, { body: { domain, registrant, ...(nameservers ? { nameservers } : {}) } });
const addRecord = (body: { type: 'CNAME' | 'MX' | 'SRV' | 'NS'; name?: string; content: string; prio?: number }) =>
  owner.call(addDnsRecord, { params: { id: domainId }, body: { name: `r${randomUUID().slice(0, 8)}`, ...body } });

/** Places that take any host name. */
const FIELDS: [string, Place][] = [
  [
    'the custom domain of a new app',
    {
      field: 'customDomain',
      send: (customDomain) => account.call(createApp, { body: { name: 'Shop', framework: 'NODE', customDomain } }),
    },
  ],
  [
    'the custom domain of an app',
    {
      field: 'domain',
      send: async (domain) => {
        const { id } = (await account.call(createApp, { body: { name: 'Shop', framework: 'NODE' } })).body.data;
        return await account.dashboard.call(setCustomDomain, { params: { id }, body: { domain } });
      },
    },
  ],
  [
    'a name server of an order',
    { field: 'nameservers.1', send: (name) => order(uniqueDomain(), ['ns1.example.net', name]) },
  ],
  ['the target of an alias', { field: 'content', send: (content) => addRecord({ type: 'CNAME', content }) }],
  ['a mail server', { field: 'content', send: (content) => addRecord({ type: 'MX', content, prio: 10 }) }],
  ['a service', { field: 'content', send: (name) => addRecord({ type: 'SRV', content: `5 5060 ${name}`, prio: 0 }) }],
  ['a name server of a part', { field: 'content', send: (content) => addRecord({ type: 'NS', content }) }],
  [
    'a hosting domain',
    {
      field: 'hostingDomain',
      send: (hostingDomain) =>
        account.dashboard.call(createSubscription, {
          body: { plan: 'email-basic', billingCycle: 'MONTHLY', hostingDomain },
        }),
    },
  ],
  [
    'the host of a webhook',
    { field: 'url', send: (host) => account.call(createWebhook, { body: { url: `https://${host}/hook` } }) },
  ],
];

const fresh = (ending: string) => `shop-${randomUUID().slice(0, 8)}.${ending}`;
const GOOD = ['example.net', '1a', 'xn--mnchen-3ya.example', `${'a'.repeat(63)}.example`];
const BAD = [
  'shop',
  'shop.1',
  'shop.0x1f',
  '-shop.example',
  'shop-.example',
  'shop..example',
  `${'a'.repeat(64)}.example`,
  `${`${'a'.repeat(50)}.`.repeat(5)}example`,
];

test.each(FIELDS)('%s is any host name', async (_what, { send }) => {
  for (const ending of GOOD) {
    const name = fresh(ending);
    const { status, error } = await send(name);
    expect([name, error]).toEqual([name, undefined]);
    expect(status).toBeLessThan(300);
  }
});

test.each(FIELDS)('%s is nothing but a host name', async (_what, { field, send }) => {
  for (const name of BAD) {
    const { status, error } = await send(name);
    expect([name, status, error]).toEqual([
      name,
      400,
      { code: 'invalid_request', status: 400, message: expect.stringMatching(new RegExp(`^${field}: `)) },
    ]);
  }
});

test.each(BAD.filter((name) => name.includes('.')))('%s can be neither checked nor ordered', async (name) => {
  const checked = await buyer.call(checkDomain, { query: { q: name } });
  expect([checked.status, checked.error?.message]).toEqual([400, expect.stringMatching(/^q: must /)]);
  const ordered = await order(name);
  expect([ordered.status, ordered.error?.message]).toEqual([400, expect.stringMatching(/^domain: must /)]);
});

test('distinguishes a host name without a sold TLD from an invalid one', async () => {
  const { status, error } = await order('shop.1a');
  expect([status, error?.message]).toEqual([400, expect.stringContaining('not sold')]);
});

test('name servers and targets may end in a dot; records and webhooks may have underscores', async () => {
  expect((await order(uniqueDomain(), ['NS1.example.net.', 'ns2.example.net'])).status).toBe(201);
  expect((await addRecord({ type: 'CNAME', content: '_a.acm.example.net.' })).status).toBe(201);
  expect((await addRecord({ type: 'CNAME', name: `_${randomUUID()}`, content: 'example.net' })).status).toBe(201);
  const webhook = await account.call(createWebhook, { body: { url: 'https://my_host.example.org/hook' } });
  expect(webhook.status).toBe(201);
});
