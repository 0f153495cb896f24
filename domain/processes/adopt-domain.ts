import * as z from 'zod/mini';
import { NewRecord } from '../../contract/dns/records.ts';
import { ApiError } from '../../contract/errors.ts';
import { Registrant } from '../../contract/registrar/orders.ts';
import type { Dns } from '../../providers/dns/dns.ts';
import { DelegationInProgress, type Registrar } from '../../providers/registrar/registrar.ts';
import { DnsRecord, Zone, zoneSyncDue } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { create } from '../../table/writes.ts';
import type { InCell } from '../apps/cells.ts';
import { setZoneAliases } from '../custom-domains/zone-alias.ts';
import type { Deps } from '../deps.ts';
import { assertNoConflict, parseRecord } from '../dns/rules.ts';
import { syncZone } from '../dns/sync.ts';
import { findAccount } from '../limits/limits.ts';
import { isDelegatedTo } from '../registrar/domains.ts';
import { scheduleCheck } from '../registrar/schedule.ts';
import { parseDomainName, type ReadTlds } from '../registrar/tlds.ts';

/** A domain that is already registered at our registrar, and its new account. At most 90 records, because all are written in one transaction. */
export const AdoptionInput = () =>
  z.object({
    accountId: z.string(),
    domain: z.string().check(z.trim(), z.toLowerCase()),
    registrant: Registrant(),
    records: z._default(z.array(NewRecord()).check(z.maxLength(90)), []),
  });
type Adoption = z.output<ReturnType<typeof AdoptionInput>>;

export type AdoptionDeps = Deps &
  InCell<'edgeEndpoint'> & {
    registrar: Registrar;
    dns: Pick<Dns, 'ensureZone' | 'recordSets' | 'change'>;
    tlds: ReadTlds;
  };

function toRecords(deps: Deps, { records, domain }: Adoption, domainId: string): DnsRecord[] {
  const createdAt = deps.now().toISOString();
  const parsed: DnsRecord[] = [];
  for (const given of records) {
    const fields = parseRecord(given, domain);
    assertNoConflict(fields, parsed);
    parsed.push({ ...fields, id: deps.newId('rec'), domainId, createdAt });
  }
  return parsed;
}

/**
 * For operators: assigns a domain to an account that is already registered at our registrar (transferred to it, or registered manually).
 * Nothing is invoiced before its next term. Idempotent. Throws 404 for an unknown account.
 */
export async function adoptDomain(deps: AdoptionDeps, input: Adoption): Promise<{ domainId: string }> {
  const { accountId, registrant: owner } = input;
  await findAccount(deps, accountId);
  const { domain: name, extension } = parseDomainName('domain', input.domain, await deps.tlds());
  const [held, registered] = await Promise.all([deps.table.get(DomainName, { name }), deps.registrar.registered(name)]);
  if (held?.accountId === accountId) {
    const domain = await deps.table.get(Domain, { accountId, id: held.domainId });
    if (domain?.dnsProvider === 'PLATFORM') await putInService(deps, domain, registered?.nameservers);
    return { domainId: held.domainId };
  }
  if (held) throw new ApiError('conflict', `${name} belongs to another account.`);
  if (!registered) throw new ApiError('conflict', `${name} is not at our registrar.`);
  const id = deps.newId('dom');
  const records = toRecords(deps, input, id);
  const { id: hostedZoneId, nameservers } = await deps.dns.ensureZone(name, id, registered.nameservers);
  const now = deps.now().toISOString();
  const expiresAt = registered.expiresAt.toISOString();
  const { tld, yearsAtOnce, privacy } = extension;
  const domain: Domain = {
    id,
    accountId,
    name,
    tld,
    yearsAtOnce,
    privacy,
    owner,
    nameservers,
    years: 1,
    status: 'ACTIVE',
    autoRenew: true,
    dnsProvider: 'PLATFORM',
    registeredAt: registered.createdAt?.toISOString() ?? now,
    confirmedAt: now,
    expiresAt,
    registryExpiresAt: expiresAt,
    createdAt: now,
    ...(isDelegatedTo(nameservers, registered.nameservers) ? {} : { delegation: { askedAt: now } }),
  };
  const zone = { accountId, domainId: id, name, version: 1, mirrored: 0, hostedZoneId };
  const writes = [
    create(DomainName, { name, accountId, domainId: id }),
    create(Domain, { ...domain, dueAt: scheduleCheck(domain).dueAt }),
    create(Zone, { ...zone, dueAt: zoneSyncDue(deps.now()).dueAt }),
    ...records.map((record) => create(DnsRecord, record)),
  ];
  const after = { domain: name, status: domain.status, expiresAt };
  const change = { action: 'domain.adopted', accountId, subjectId: id, after } as const;
  const adopted = await deps.commit(writes, { domainId: id }, change);
  await putInService(deps, domain, registered.nameservers);
  return adopted;
}

/** Syncs the domain's records to the platform's name servers, then delegates the domain to them. */
async function putInService(deps: AdoptionDeps, domain: Domain, present: readonly string[] = []): Promise<void> {
  const { accountId, id: domainId, name, nameservers } = domain;
  await setZoneAliases(deps, domain);
  await syncZone(deps, { accountId, domainId });
  const zone = await deps.table.get(Zone, { accountId, domainId });
  if (!zone || zone.mirrored < zone.version)
    throw new ApiError('server_error', 'The records are not at the name servers yet. Repeat this in a minute.', {
      status: 503,
    });
  if (isDelegatedTo(nameservers, present)) return;
  // Another change is in progress, which may be this one. A repeated call will show it.
  await deps.registrar.delegate(name, nameservers).catch((error) => {
    if (!(error instanceof DelegationInProgress)) throw error;
  });
}
