import { Resolver } from 'node:dns/promises';

/** Where a name leads, as the DNS has it. */
export interface Lead {
  /** The name that it is another word for. */
  alias: string | undefined;
  addresses: string[];
  /** Whether it is the top of a zone: a CNAME cannot be there. */
  apex: boolean;
}

export interface Leads {
  /** Throws where nobody answers for the name. */
  of(name: string): Promise<Lead>;
}

/** Milliseconds that a name server has for its answer, and how often it is asked. */
const TIMEOUT = 1500;
const TRIES = 2;

const NOTHING = new Set(['ENOTFOUND', 'ENODATA']);
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** What was found; `otherwise` where there is nothing of the kind. */
async function orNothing<T, N>(answer: Promise<T>, otherwise: N): Promise<T | N> {
  try {
    return await answer;
  } catch (error) {
    if (NOTHING.has(codeOf(error))) return otherwise;
    throw error;
  }
}

/** @param servers whom to ask (`127.0.0.1:5353`); whom the system asks, where there are none */
export function createLeads(servers: readonly string[]): Leads {
  return {
    async of(name) {
      // Anew each time: a resolver keeps to the servers that it found at its start.
      const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      const [alias] = await orNothing(resolver.resolveCname(name), []);
      // Where the other name leads is not this one's to say.
      if (alias) return { alias: alias.toLowerCase(), addresses: [], apex: false };
      const [four, six, soa] = await Promise.all([
        orNothing(resolver.resolve4(name), []),
        orNothing(resolver.resolve6(name), []),
        orNothing(resolver.resolveSoa(name), undefined),
      ]);
      return { alias: undefined, addresses: [...four, ...six], apex: soa !== undefined };
    },
  };
}
