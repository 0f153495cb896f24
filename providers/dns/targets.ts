import { Resolver } from 'node:dns/promises';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/** The target that a name resolves to. */
export interface DnsTarget {
  /** The target of the CNAME, or of the last one where CNAMEs follow each other. */
  alias: string | undefined;
  addresses: string[];
  /** True at a zone apex, where a CNAME is not allowed. */
  apex: boolean;
}

export interface DnsResolver {
  /** Resolves a name's target. Throws where the name servers do not answer. */
  resolve(name: string): Promise<DnsTarget>;
}

/** Milliseconds that a name server has for its answer, and how often it is asked. */
const TIMEOUT_MS = TIMEOUTS_S.dnsQuery * 1000;
const MAX_TRIES = 2;

const NO_DATA_CODES = new Set(['ENOTFOUND', 'ENODATA']);
/** Returns a new resolver: one keeps the servers that it found at its start. @param servers as in {@link createDnsResolver} */
export function newResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: MAX_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Returns the answer, or `otherwise` where there is no such record. */
export async function orDefault<T, N>(answer: Promise<T>, otherwise: N, codes = NO_DATA_CODES): Promise<T | N> {
  try {
    return await answer;
  } catch (error) {
    if (codes.has(codeOf(error))) return otherwise;
    throw error;
  }
}

/** CNAMEs that are followed, as resolvers do. */
const MAX_ALIASES = 8;
/** A server of certain zones, as in the local run, refuses to answer for the next name where it is in another zone. */
const NO_NEXT_CODES = new Set([...NO_DATA_CODES, 'EREFUSED']);

/** Returns the name at the end of a chain of CNAMEs; undefined where the name is none. A loop ends before it repeats. */
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

/** @param servers whom to ask (`127.0.0.1:5353`); whom the system asks, where there are none */
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
