import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { Zone, zoneChanged } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import type { InCell } from '../apps/cells.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { eachBelow, VERIFIED_HOSTS } from './names-below.ts';

/** Returns a host and the names above it, without that of its top-level domain: the closest first. */
export function namesFrom(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, from) => labels.slice(from).join('.'));
}

/** Returns the active domains that a host is, or is below, whichever account has them: the closest first. */
async function findActiveDomains(deps: Pick<Deps, 'table'>, host: string): Promise<Domain[]> {
  const claims = await Promise.all(namesFrom(host).map((name) => deps.table.get(DomainName, { name })));
  const domains = await Promise.all(
    claims.flatMap((claim) =>
      claim ? [deps.table.get(Domain, { accountId: claim.accountId, id: claim.domainId })] : [],
    ),
  );
  return domains.flatMap((domain) => (domain?.status === 'ACTIVE' ? [domain] : []));
}

/** Returns the active domains that a host is in, without those that the registrar denies: their registration proves nothing any more. */
export const findRegistrations = async (deps: Pick<Deps, 'table'>, host: string): Promise<Domain[]> =>
  (await findActiveDomains(deps, host)).filter(({ absentSince }) => !absentSince);

/** Returns the registrations of one account that a host is in ({@link findRegistrations}). */
export const findEnclosingDomains = async (
  deps: Pick<Deps, 'table'>,
  accountId: string,
  host: string,
): Promise<Domain[]> => (await findRegistrations(deps, host)).filter((domain) => domain.accountId === accountId);

export interface ZoneAliasResult {
  /** True when the platform serves the host's zone for the same account. */
  isManaged: boolean;
  /** True when the alias was written by this call; the name servers have it a moment later. */
  changed: boolean;
}

/**
 * Points a host to an address, or removes that alias (`undefined`), where the platform serves its zone for the account.
 * Records of the owner at the same name take precedence. May be repeated.
 *
 * @param onConditionFailed makes the error for a zone that changed meanwhile
 */
export async function setZoneAlias(
  deps: Deps,
  { accountId, host }: { accountId: string; host: string },
  address: string | undefined,
  onConditionFailed: () => Error,
): Promise<ZoneAliasResult> {
  // Also of a domain that the registrar denies: its zone is in use again if that was a mistake.
  const domain = (await findActiveDomains(deps, host)).find((each) => each.accountId === accountId);
  const zone =
    domain?.dnsProvider === 'PLATFORM' ? await deps.table.get(Zone, { accountId, domainId: domain.id }) : undefined;
  if (!domain || !zone) return { isManaged: false, changed: false };
  const { [host]: before, ...others } = zone.aliases ?? {};
  if (before === address) return { isManaged: true, changed: false };
  const aliases = address ? { ...others, [host]: address } : others;
  const set = { aliases, version: zone.version + 1, ...zoneChanged(deps.now(), zone) };
  const same = { version: { is: zone.version } };
  await deps.table.transact([change(Zone, { accountId, domainId: domain.id }, { set, when: same }, onConditionFailed)]);
  return { isManaged: true, changed: true };
}

/** Points the hosts of an account's tenants, of a domain and below it, to their addresses in the zone of that domain. May be repeated. */
export async function setZoneAliases(
  deps: Deps & InCell<'edgeEndpoint'>,
  { accountId, name }: Pick<Domain, 'accountId' | 'name'>,
): Promise<void> {
  for await (const { host, accountId: holder } of eachBelow(deps, VERIFIED_HOSTS, name)) {
    const tenant = holder === accountId ? await deps.table.get(DistributionTenant, { host }) : undefined;
    if (!tenant || tenant.status === 'CLOSING') continue;
    const { edgeEndpoint } = await deps.cellOf(tenant);
    await retryOnConflict(() => setZoneAlias(deps, tenant, edgeEndpoint, concurrentUpdate));
  }
}
