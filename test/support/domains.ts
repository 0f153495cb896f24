import { randomUUID } from 'node:crypto';
import { getDomain, listDomains } from '../../contract/registrar/domains.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import { type OpenedAccount, waitFor } from './harness.ts';

/** A registrant that the registrar accepts. */
export const registrant = {
  name: 'Thandi Mokoena',
  email: 'thandi@example.co.za',
  contactNumber: '+27.215551234',
  address1: '1 Long Street',
  city: 'Cape Town',
  province: 'Western Cape',
  postalCode: '8001',
  country: 'ZA',
};

/** Returns a free name; its prefix selects the registrar's behavior. */
export const uniqueDomain = (start = 'shop', tld = 'co.za'): string => `${start}-${randomUUID().slice(0, 13)}.${tld}`;

/** Orders a domain and waits for its final status. */
export async function registerDomain(account: OpenedAccount, domain = uniqueDomain(), more: object = {}) {
  const { invoice } = (await account.call(orderDomain, { body: { domain, registrant, ...more } })).body.data;
  const { id } = await findDomain(account, domain);
  const settled = await waitFor(async () => {
    const { data } = (await account.call(getDomain, { params: { id } })).body;
    return data.status !== 'PENDING' && data;
  });
  return { invoice, domain: settled };
}

export async function findDomain(account: OpenedAccount, name: string) {
  return await waitFor(async () => (await account.call(listDomains)).body.data.find((each) => each.name === name));
}
