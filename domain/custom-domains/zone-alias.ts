import { Domain, DomainName, mirrorOverdue, Zone } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** The domains of an account's own that a host is, or is below: the closest first. Registered ones only. */
export async function domainsAbove(deps: Pick<Deps, 'table'>, accountId: string, host: string): Promise<Domain[]> {
  const labels = host.split('.');
  const names = labels.slice(0, -1).map((_, from) => labels.slice(from).join('.'));
  const claims = await Promise.all(names.map((name) => deps.table.get(DomainName, { name })));
  const held = claims.flatMap((claim) => (claim?.accountId === accountId ? [claim.domainId] : []));
  const domains = await Promise.all(held.map((id) => deps.table.get(Domain, { accountId, id })));
  return domains.flatMap((domain) => (domain?.status === 'ACTIVE' ? [domain] : []));
}

export interface Led {
  /** Whether the host's DNS is ours, and its owner's. */
  ours: boolean;
  /** Whether that was written just now: the name servers know it in a moment. */
  changed: boolean;
}

/**
 * Where an account's own DNS with us answers for a host, has it lead to an address, or no longer (`undefined`). What its owner
 * has recorded at the name goes before. May be repeated.
 * @param lost is thrown when the zone was changed meanwhile
 */
export async function leadInOwnZone(
  deps: Deps,
  { accountId, host }: { accountId: string; host: string },
  address: string | undefined,
  lost: () => Error,
): Promise<Led> {
  const [domain] = await domainsAbove(deps, accountId, host);
  const zone =
    domain?.dnsProvider === 'PLATFORM' ? await deps.table.get(Zone, { accountId, domainId: domain.id }) : undefined;
  if (!domain || !zone) return { ours: false, changed: false };
  const { [host]: before, ...others } = zone.aliases ?? {};
  if (before === address) return { ours: true, changed: false };
  const aliases = address ? { ...others, [host]: address } : others;
  const set = { aliases, version: zone.version + 1, ...mirrorOverdue(deps.now()) };
  const same = { version: { is: zone.version } };
  await deps.table.transact([change(Zone, { accountId, domainId: domain.id }, { set, when: same }, lost)]);
  return { ours: true, changed: true };
}
