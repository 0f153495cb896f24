import { ApiError, invalidField } from '../../contract/errors.ts';
import type { getDomain as GetRoute, listDomains as ListRoute } from '../../contract/registrar/domains.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Domain, domainsOf } from '../../table/entities/registrar.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody } from '../pages.ts';

/** Reads one of the caller's domains. Throws 404. */
export async function findDomain(deps: Deps, { accountId }: Pick<Caller, 'accountId'>, id: string): Promise<Domain> {
  const domain = await deps.table.get(Domain, { accountId, id });
  if (!domain) throw new ApiError('not_found', 'Domain not found.');
  return domain;
}

/** Returns a domain as the API shows it, with the name servers that the registry has, if they are known. */
export function viewDomain(domain: Domain): Output<typeof GetRoute>['data'] {
  const { id, name, tld, status, autoRenew, registeredAt, expiresAt, dnsProvider } = domain;
  const nameservers = domain.delegation?.present ?? domain.nameservers;
  return { id, name, tld, status, autoRenew, registeredAt, expiresAt, nameservers, dnsProvider };
}

const normalizedHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');
const normalized = (nameservers: readonly string[]): string => nameservers.map(normalizedHost).sort().join();

/** Returns true if two lists contain the same name servers, in any order. */
export const isDelegatedTo = (nameservers: readonly string[], present: readonly string[]): boolean =>
  normalized(present) === normalized(nameservers);

/** Number of the account's newest domains whose name servers are compared with those of an order. */
const MAX_COMPARED = 100;

/**
 * Returns the external name servers of an order. Returns undefined if none are given, or if they are the platform's, copied from another
 * domain of the account: each zone of the platform gets its own name servers, and others do not answer for it. Throws 400 for a mix of
 * the platform's and external name servers.
 */
export async function findExternalNameservers(
  deps: Pick<Deps, 'table'>,
  accountId: string,
  given: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (!given) return undefined;
  const { items } = await deps.table.list(Domain, domainsOf(accountId), { limit: MAX_COMPARED, offset: 0 });
  const platform = items.filter(({ dnsProvider }) => dnsProvider === 'PLATFORM');
  const ours = new Set(platform.flatMap(({ nameservers }) => nameservers.map(normalizedHost)));
  const found = given.filter((host) => ours.has(normalizedHost(host)));
  if (found.length === 0) return given;
  if (found.length === given.length) return undefined;
  throw invalidField('nameservers', `${found[0]} is ours and others are not; leave the field out to use ours`);
}

/** GET /v1/domains */
export async function listDomains(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  return pageBody(await deps.table.list(Domain, domainsOf(accountId), page), viewDomain);
}

/** GET /v1/domains/{id} */
export async function getDomain(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  return { data: viewDomain(await findDomain(deps, caller, id)) };
}
