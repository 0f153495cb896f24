import { Resolver } from 'node:dns/promises';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/** The target that a name resolves to. */
export interface DnsTarget {
  /** The target of the CNAME, or of the last CNAME in a chain. */
  alias: string | undefined;
  addresses: string[];
  /** True at a zone apex, where a CNAME is not allowed. */
  apex: boolean;
}

export interface DnsResolver {
  /** Resolves a name's target. Throws if the name servers do not answer. */
  resolve(name: string): Promise<DnsTarget>;
}

/** Timeout of a query to a name server, and maximum number of queries. */
const TIMEOUT_MS = TIMEOUTS_S.dnsQuery * 1000;
const MAX_TRIES = 2;

const NO_DATA_CODES = new Set(['ENOTFOUND', 'ENODATA']);
/**
 * Returns a new resolver. Resolvers are not reused, because a resolver keeps the system's servers as they were at its creation.
 * @param servers as in {@link createDnsResolver}
 */
export function newResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: MAX_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Returns the answer, or `fallback` if the record does not exist. */
export async function orDefault<T, N>(answer: Promise<T>, fallback: N, codes = NO_DATA_CODES): Promise<T | N> {
  try {
    return await answer;
  } catch (error) {
    if (codes.has(codeOf(error))) return fallback;
    throw error;
  }
}

/** Maximum length of a chain of CNAMEs. */
const MAX_ALIASES = 8;
/** An authoritative server, as in the local run, refuses to answer for the next name if it is in another zone. */
const NO_NEXT_CODES = new Set([...NO_DATA_CODES, 'EREFUSED']);

/** Returns the name at the end of a chain of CNAMEs; undefined if the name has no CNAME. Stops before a loop repeats. */
async function followAliases(resolver: Resolver, name: string): Promise<string | undefined> {
  const chain = new Set([name]);
  let last: string | undefined;
  while (chain.size <= MAX_ALIASES) {
    const answer = resolver.resolveCname(last ?? name);
    const [alias] = await orDefault(answer, [], last === undefined ? NO_DATA_CODES : NO_NEXT_CODES);
    if (!alias || chain.has(alias.toLowerCase())) break;
    last = alias.toLowerCase();
    chain.add(last);
  }
  return last;
}

/** @param servers the DNS servers to query (`127.0.0.1:5353`); empty for those of the system */
export function createDnsResolver(servers: readonly string[]): DnsResolver {
  return {
    async resolve(name) {
      const resolver = newResolver(servers);
      const alias = await followAliases(resolver, name);
      if (alias) return { alias, addresses: [], apex: false };
      const [four, six, soa] = await Promise.all([
        orDefault(resolver.resolve4(name), []),
        orDefault(resolver.resolve6(name), []),
        orDefault(resolver.resolveSoa(name), undefined),
      ]);
      return { alias: undefined, addresses: [...four, ...six], apex: soa !== undefined };
    },
  };
}
