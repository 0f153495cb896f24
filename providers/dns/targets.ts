import { Resolver } from 'node:dns/promises';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/** The target that a name resolves to. */
export interface DnsTarget {
  /** The CNAME's target. */
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
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Returns the answer, or `otherwise` where there is no such record. */
async function orDefault<T, N>(answer: Promise<T>, otherwise: N): Promise<T | N> {
  try {
    return await answer;
  } catch (error) {
    if (NO_DATA_CODES.has(codeOf(error))) return otherwise;
    throw error;
  }
}

/** @param servers whom to ask (`127.0.0.1:5353`); whom the system asks, where there are none */
export function createDnsResolver(servers: readonly string[]): DnsResolver {
  return {
    async resolve(name) {
      // A new resolver each time: a resolver keeps the servers that it found at its start.
      const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: MAX_TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      const [alias] = await orDefault(resolver.resolveCname(name), []);
      // Where the other name leads is not this one's to say.
      if (alias) return { alias: alias.toLowerCase(), addresses: [], apex: false };
      const [four, six, soa] = await Promise.all([
        orDefault(resolver.resolve4(name), []),
        orDefault(resolver.resolve6(name), []),
        orDefault(resolver.resolveSoa(name), undefined),
      ]);
      return { alias: undefined, addresses: [...four, ...six], apex: soa !== undefined };
    },
  };
}
