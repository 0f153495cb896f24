import { ApiError } from '../../contract/errors.ts';
import type { getDomain as GetRoute, listDomains as ListRoute } from '../../contract/registrar/domains.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Domain, domainsOf } from '../../table/entities/registrar.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody } from '../pages.ts';

/** Returns a domain of the caller's. Throws 404. */
export async function findDomain(deps: Deps, { accountId }: Pick<Caller, 'accountId'>, id: string): Promise<Domain> {
  const domain = await deps.table.get(Domain, { accountId, id });
  if (!domain) throw new ApiError('not_found', 'Domain not found.');
  return domain;
}

/** The domain as the API shows it: with the name servers that the registry has, as far as that is known. */
export function viewDomain(domain: Domain): Output<typeof GetRoute>['data'] {
  const { id, name, tld, status, autoRenew, registeredAt, expiresAt, dnsProvider } = domain;
  const nameservers = domain.delegation?.present ?? domain.nameservers;
  return { id, name, tld, status, autoRenew, registeredAt, expiresAt, nameservers, dnsProvider };
}

const normalizedHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');
const normalized = (nameservers: readonly string[]): string => nameservers.map(normalizedHost).sort().join();

/** True where a domain is answered for by these name servers, in any order. */
export const isDelegatedTo = (nameservers: readonly string[], present: readonly string[]): boolean =>
  normalized(present) === normalized(nameservers);

/** The newest domains whose name servers are compared with those of an order. */
const MAX_COMPARED = 100;

/**
 * Returns the name servers that are given for an order; undefined where they are the platform's own, as another domain of the account shows
 * them: they answer only for domains whose zone we make, which get their own. Throws 400 where some are ours and others not.
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
  const found = given.filter((each) => ours.has(normalizedHost(each)));
  if (found.length === 0) return given;
  if (found.length === given.length) return undefined;
  throw new ApiError(
    'invalid_request',
    `nameservers: ${found[0]} is ours and others are not; leave the field out to use ours`,
  );
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
