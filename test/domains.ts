import { randomUUID } from 'node:crypto';
import { getDomain, listDomains } from '../contract/registrar/domains.ts';
import { orderDomain } from '../contract/registrar/orders.ts';
import { type Opened, until } from './support/harness.ts';

/** An owner whom the registrar takes. */
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

/** A name that nobody has; how it begins says how it goes. */
export const freshName = (start = 'shop', tld = 'co.za'): string => `${start}-${randomUUID().slice(0, 13)}.${tld}`;

/** Orders a domain and waits until it is what it becomes. */
export async function openDomain(account: Opened, domain = freshName(), more: object = {}) {
  const { invoice } = (await account.call(orderDomain, { body: { domain, registrant, ...more } })).body.data;
  const { id } = await domainNamed(account, domain);
  const settled = await until(async () => {
    const { data } = (await account.call(getDomain, { params: { id } })).body;
    return data.status !== 'PENDING' && data;
  });
  return { invoice, domain: settled };
}

export async function domainNamed(account: Opened, name: string) {
  return await until(async () => (await account.call(listDomains)).body.data.find((each) => each.name === name));
}
