import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { DelegationUnderWay, type Registrar, RegistrarRejected } from '../../providers/registrar/registrar.ts';
import { Zone } from '../../table/entities/dns.ts';
import type { Domain } from '../../table/entities/registrar.ts';
import type { Deps } from '../deps.ts';
import { isDelegatedTo } from './domains.ts';

/**
 * A registry can refuse a domain's name servers after the registrar has accepted the request. So they are compared whenever the registrar
 * confirms the domain (docs/decisions/0032-names.md).
 */
export interface Delegation {
  /** The value to store; undefined where the registry has the name servers that it should have. */
  delegation?: Domain['delegation'];
  /** True where the registry has others although they were requested twice. */
  isRefused: boolean;
  /** The reason for which the request was neither taken nor refused. A later check repeats it. */
  error?: unknown;
}

/** A request that was not answered in time is repeated by a later check. */
const REQUEST_OPTIONS = { timeout: TIMEOUTS_S.registrar.sweep * 1000 };

/**
 * Compares a domain's name servers with those that the registry has, and requests them once more where those are others. A request that fails
 * does not throw: it takes nothing from the registrar's confirmation of the domain.
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
  const asked = { askedAt: now.toISOString(), present };
  try {
    if (!(await isAnswering(deps, domain))) return { delegation: asked, isRefused: false };
    await deps.registrar.delegate(name, nameservers, REQUEST_OPTIONS);
  } catch (error) {
    if (error instanceof RegistrarRejected) return { delegation: { ...asked, repeated: true }, isRefused: true };
    // Another change is under way, which may be this one: the next check tells.
    if (error instanceof DelegationUnderWay) return { delegation: asked, isRefused: false };
    return { delegation: asked, isRefused: false, error };
  }
  return { delegation: { ...asked, repeated: true }, isRefused: false };
}

/** Returns false while our name servers do not have the domain's records yet: resolvers are not sent to them before. */
async function isAnswering({ table }: Pick<Deps, 'table'>, { accountId, id, dnsProvider }: Domain): Promise<boolean> {
  if (dnsProvider !== 'PLATFORM') return true;
  const zone = await table.get(Zone, { accountId, domainId: id });
  return zone !== undefined && zone.mirrored >= zone.version;
}
