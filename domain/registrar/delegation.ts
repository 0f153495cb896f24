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
}

/** A request within a sweep, which has other items: one that was not answered in time is repeated by a later check. In milliseconds. */
const REQUEST_TIMEOUT_MS = 5000;

/** Compares a domain's name servers with those that the registry has, and requests them once more where those are others. */
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
  if (!(await isAnswering(deps, domain))) return { delegation: asked, isRefused: false };
  try {
    await deps.registrar.delegate(name, nameservers, { timeout: REQUEST_TIMEOUT_MS });
  } catch (error) {
    // Another change is under way, which may be this one: the next check tells.
    if (error instanceof DelegationUnderWay) return { delegation: asked, isRefused: false };
    if (!(error instanceof RegistrarRejected)) throw error;
    return { delegation: { ...asked, repeated: true }, isRefused: true };
  }
  return { delegation: { ...asked, repeated: true }, isRefused: false };
}

/** Returns false while our name servers do not have the domain's records yet: resolvers are not sent to them before. */
async function isAnswering({ table }: Pick<Deps, 'table'>, { accountId, id, dnsProvider }: Domain): Promise<boolean> {
  if (dnsProvider !== 'PLATFORM') return true;
  const zone = await table.get(Zone, { accountId, domainId: id });
  return zone !== undefined && zone.mirrored >= zone.version;
}
