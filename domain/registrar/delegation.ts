import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { DelegationInProgress, type Registrar, RegistrarRejected } from '../../providers/registrar/registrar.ts';
import { Zone } from '../../table/entities/dns.ts';
import type { Domain } from '../../table/entities/registrar.ts';
import type { Deps } from '../deps.ts';
import { isDelegatedTo } from './domains.ts';

/**
 * A registry can refuse a domain's name servers after the registrar has accepted the request. Therefore each confirmation of the domain
 * compares them (docs/decisions/0032-names.md).
 */
export interface Delegation {
  /** The value to store; undefined if the registry has the expected name servers. */
  delegation?: Domain['delegation'];
  /** True if the registry has other name servers although the expected ones were requested twice. */
  isRefused: boolean;
  /** Error of a request that was neither accepted nor refused. A later check repeats it. */
  error?: unknown;
}

/** A short timeout: a later check repeats a request that was not answered in time. */
const REQUEST_OPTIONS = { timeout: TIMEOUTS_S.registrar.sweep * 1000 };

/**
 * Compares a domain's name servers with those of the registry, and requests them once more if they differ. A failed request does not throw,
 * because the registrar has confirmed the domain nevertheless.
 * @param present the registry's name servers
 */
export async function checkDelegation(
  deps: Pick<Deps, 'table'> & { registrar: Pick<Registrar, 'delegate'> },
  domain: Domain,
  present: string[],
  now: Date,
): Promise<Delegation> {
  const { name, nameservers, delegation } = domain;
  if (nameservers.length === 0 || isDelegatedTo(nameservers, present)) return { isRefused: false };
  if (delegation?.repeated) return { delegation: { ...delegation, present }, isRefused: true };
  const request = { askedAt: now.toISOString(), present };
  try {
    if (!(await isAnswering(deps, domain))) return { delegation: request, isRefused: false };
    await deps.registrar.delegate(name, nameservers, REQUEST_OPTIONS);
  } catch (error) {
    if (error instanceof RegistrarRejected) return { delegation: { ...request, repeated: true }, isRefused: true };
    // Another change is in progress, which may be this one. The next check will show it.
    if (error instanceof DelegationInProgress) return { delegation: request, isRefused: false };
    return { delegation: request, isRefused: false, error };
  }
  return { delegation: { ...request, repeated: true }, isRefused: false };
}

/** Returns false until the platform's name servers have the domain's records: the registry must not delegate to them earlier. */
async function isAnswering({ table }: Pick<Deps, 'table'>, { accountId, id, dnsProvider }: Domain): Promise<boolean> {
  if (dnsProvider !== 'PLATFORM') return true;
  const zone = await table.get(Zone, { accountId, domainId: id });
  return zone !== undefined && zone.mirrored >= zone.version;
}
