import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { Zone, zoneChanged } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import type { InCell } from '../apps/cells.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { eachBelow, VERIFIED_HOSTS } from './names-below.ts';

/** Returns a host and its parent names, closest first, without the top-level domain. */
export function namesFrom(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, from) => labels.slice(from).join('.'));
}

/** Returns the active domains of any account that contain a host, closest first. */
async function findActiveDomains(deps: Pick<Deps, 'table'>, host: string): Promise<Domain[]> {
  const claims = await Promise.all(namesFrom(host).map((name) => deps.table.get(DomainName, { name })));
  const domains = await Promise.all(
    claims.flatMap((claim) =>
      claim ? [deps.table.get(Domain, { accountId: claim.accountId, id: claim.domainId })] : [],
    ),
  );
  return domains.flatMap((domain) => (domain?.status === 'ACTIVE' ? [domain] : []));
}

/** Returns the active domains that contain a host, except those that the registrar no longer lists: their registration proves nothing. */
export const findRegistrations = async (deps: Pick<Deps, 'table'>, host: string): Promise<Domain[]> =>
  (await findActiveDomains(deps, host)).filter(({ absentSince }) => !absentSince);

/** Returns the registrations of one account that contain a host ({@link findRegistrations}). */
export const findEnclosingDomains = async (
  deps: Pick<Deps, 'table'>,
  accountId: string,
  host: string,
): Promise<Domain[]> => (await findRegistrations(deps, host)).filter((domain) => domain.accountId === accountId);

export interface ZoneAliasResult {
  /** True when the platform serves the host's zone for the same account. */
  isManaged: boolean;
  /** True if this call changed the alias; the name servers follow shortly afterwards. */
  changed: boolean;
}

/**
 * Sets the alias of a host to an address, or removes it (`undefined`), if the platform serves the host's zone for the account. The
 * owner's records at the same name take precedence. May be repeated. Throws `ConcurrentUpdateError` if the zone changed meanwhile.
 */
export async function setZoneAlias(
  deps: Deps,
  { accountId, host }: { accountId: string; host: string },
  address: string | undefined,
): Promise<ZoneAliasResult> {
  // Includes a domain that the registrar no longer lists: if that is a mistake, its zone will be in use again.
  const domain = (await findActiveDomains(deps, host)).find((owned) => owned.accountId === accountId);
  const zone =
    domain?.dnsProvider === 'PLATFORM' ? await deps.table.get(Zone, { accountId, domainId: domain.id }) : undefined;
  if (!domain || !zone) return { isManaged: false, changed: false };
  const { [host]: before, ...others } = zone.aliases ?? {};
  if (before === address) return { isManaged: true, changed: false };
  const aliases = address ? { ...others, [host]: address } : others;
  const set = { aliases, version: zone.version + 1, ...zoneChanged(deps.now(), zone) };
  const isUnchanged = { version: { is: zone.version } };
  await deps.table.transact([
    change(Zone, { accountId, domainId: domain.id }, { set, when: isUnchanged }, concurrentUpdate),
  ]);
  return { isManaged: true, changed: true };
}

/** Sets the aliases of all hosts with a tenant in a domain's zone: the account's hosts at the domain and below it. May be repeated. */
export async function setZoneAliases(
  deps: Deps & InCell<'edgeEndpoint'>,
  { accountId, name }: Pick<Domain, 'accountId' | 'name'>,
): Promise<void> {
  for await (const { host, accountId: holder } of eachBelow(deps, VERIFIED_HOSTS, name)) {
    const tenant = holder === accountId ? await deps.table.get(DistributionTenant, { host }) : undefined;
    if (!tenant || tenant.status === 'CLOSING') continue;
    const { edgeEndpoint } = await deps.cellOf(tenant);
    await retryOnConflict(() => setZoneAlias(deps, tenant, edgeEndpoint));
  }
}
