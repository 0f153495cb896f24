import type { getMe } from '../../contract/accounts/me.ts';
import type { Output } from '../../contract/route.ts';

type Account = Output<typeof getMe>['data']['account'];

/** The registrant's fields stand flat in the form, by the path that the contract has them at. */
export const startOf = ({ name, email }: Account) => ({
  years: '1',
  'registrant.name': name,
  'registrant.email': email,
  'registrant.contactNumber': '',
  'registrant.address1': '',
  'registrant.city': '',
  'registrant.province': '',
  'registrant.postalCode': '',
  'registrant.country': 'ZA',
  nameservers: '',
});
export type OrderValues = ReturnType<typeof startOf>;

/** What is sent. Without name servers the platform's own are used. */
export function orderOf(domain: string, values: OrderValues) {
  const servers = values.nameservers.trim();
  return {
    domain,
    years: Number(values.years),
    registrant: {
      name: values['registrant.name'],
      email: values['registrant.email'],
      contactNumber: values['registrant.contactNumber'],
      address1: values['registrant.address1'],
      city: values['registrant.city'],
      province: values['registrant.province'],
      postalCode: values['registrant.postalCode'],
      country: values['registrant.country'].trim().toUpperCase(),
    },
    ...(servers === '' ? {} : { nameservers: servers.split(/[\s,]+/) }),
  };
}
