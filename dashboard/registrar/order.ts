import type { getMe } from '../../contract/accounts/me.ts';
import type { Output } from '../../contract/route.ts';

type Account = Output<typeof getMe>['data']['account'];

/** Returns the initial values of the order form. Paths match the contract, so that its errors appear at their fields. */
export const initialValues = ({ name, email }: Account) => ({
  years: '1',
  registrant: {
    name,
    email,
    contactNumber: '',
    address1: '',
    city: '',
    province: '',
    postalCode: '',
    country: 'ZA',
  },
  nameservers: '',
});
export type OrderValues = ReturnType<typeof initialValues>;

/** Converts form values to an order. Without name servers, the platform's are used. */
export function toOrder(domain: string, values: OrderValues) {
  const servers = values.nameservers.trim();
  return {
    domain,
    years: Number(values.years),
    registrant: { ...values.registrant, country: values.registrant.country.trim().toUpperCase() },
    ...(servers === '' ? {} : { nameservers: servers.split(/[\s,]+/) }),
  };
}
