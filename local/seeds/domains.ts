import { functionNamed } from '../lambda/functions.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { FunctionSpec } from '../lambda/pool.ts';

/** The initial domain of the account `demo`. It is registered at the registrar emulator. */
export const DEMO_DOMAIN = 'demo-shop.co.za';

const OWNER = {
  name: 'Demo Shop',
  email: 'demo@example.com',
  contactNumber: '+27.215550100',
  address1: '1 Long Street',
  city: 'Cape Town',
  province: 'Western Cape',
  postalCode: '8001',
  country: 'ZA',
};

const RECORDS = [
  { type: 'A', content: '192.0.2.10' },
  { type: 'AAAA', content: '2001:db8::10' },
  { type: 'CNAME', name: 'www', content: DEMO_DOMAIN },
  { type: 'MX', content: `mail.${DEMO_DOMAIN}`, prio: 10 },
  { type: 'A', name: 'mail', content: '192.0.2.25' },
  { type: 'TXT', content: 'v=spf1 mx -all' },
];

/** Assigns the domain with some records to `demo`, with the function that operators use. Idempotent. */
export async function seedDomains(
  accountId: string,
  functions: readonly FunctionSpec[],
  lambda: Pick<Lambda, 'invoke'>,
): Promise<void> {
  const operator = functionNamed(functions, 'operator/adoptDomain');
  await lambda.invoke(operator.name, { accountId, domain: DEMO_DOMAIN, registrant: OWNER, records: RECORDS });
}
