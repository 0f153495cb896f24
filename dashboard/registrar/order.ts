import type { Account } from '../api/use-me.ts';

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

/** Country calling codes (ITU-T E.164). No code is a prefix of another one. */
const CALLING_CODE = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d+)$/;

/** Converts a phone number in common notation to the registry's format: `+27 (0)21 555-1234` to `+27.215551234`. */
export function toContactNumber(typed: string): string {
  const digits = typed
    .trim()
    .replace(/^00/, '+')
    .replace('(0)', '')
    .replace(/[\s().-]/g, '');
  const [, code, number] = (digits.startsWith('+') && CALLING_CODE.exec(digits.slice(1))) || [];
  return code && number ? `+${code}.${number}` : typed.trim();
}

/** Converts form values to an order. Without name servers, the platform's are used. */
export function toOrder(domain: string, values: OrderValues) {
  const servers = values.nameservers.trim();
  return {
    domain,
    years: Number(values.years),
    registrant: { ...values.registrant, contactNumber: toContactNumber(values.registrant.contactNumber) },
    ...(servers === '' ? {} : { nameservers: servers.split(/[\s,]+/) }),
  };
}
