import type { Deps } from '../../domain/deps.ts';
import { Zone } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { create } from '../../table/writes.ts';

/** A registrant that the registrar accepts. */
export const REGISTRANT = {
  name: 'Thandi',
  email: 'a@example.co.za',
  contactNumber: '+27.215550100',
  address1: '1 Long Street',
  city: 'Cape Town',
  province: 'WC',
  postalCode: '8001',
  country: 'ZA',
};

const owner = {
  name: '',
  email: '',
  contactNumber: '',
  address1: '',
  city: '',
  province: '',
  postalCode: '',
  country: 'ZA',
};

/** Returns a domain for a simulation: registered with the platform's name servers, where the fields say nothing else. */
export const simulatedDomain = (fields: Pick<Domain, 'accountId' | 'id' | 'name'> & Partial<Domain>): Domain => ({
  tld: 'co.za',
  status: 'ACTIVE',
  autoRenew: true,
  registeredAt: null,
  expiresAt: null,
  nameservers: [],
  dnsProvider: 'PLATFORM',
  owner,
  years: 1,
  yearsAtOnce: 1,
  privacy: false,
  createdAt: '',
  ...fields,
});

/** Stores a registered domain of an account, with its zone. @returns reads the zone */
export async function newSimulatedDomain(
  { table }: Pick<Deps, 'table'>,
  { accountId, name, ...fields }: Pick<Domain, 'accountId' | 'name'> & Partial<Domain>,
): Promise<() => Promise<Zone | undefined>> {
  const id = `dom_${name}`;
  await table.transact([
    create(Domain, simulatedDomain({ id, accountId, name, ...fields })),
    create(DomainName, { name, accountId, domainId: id }),
    create(Zone, { accountId, domainId: id, name, version: 1, mirrored: 1 }),
  ]);
  return async () => await table.get(Zone, { accountId, domainId: id });
}
