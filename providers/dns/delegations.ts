import { newResolver, orDefault } from './targets.ts';

/** Reads the name servers to which resolvers are referred for a name. */
export interface Delegations {
  /**
   * Reads the name servers of a zone apex in lower case, and the primary name server of its SOA record. The latter identifies the zone even
   * if its owner uses vanity names for the name servers. Returns an empty list if the name does not exist. Throws if no server answers.
   */
  of(name: string): Promise<string[]>;
}

/** @param servers the DNS servers to query (`127.0.0.1:5353`); empty for those of the system */
export function createDelegations(servers: readonly string[]): Delegations {
  return {
    async of(name) {
      const resolver = newResolver(servers);
      const [names, soa] = await Promise.all([
        orDefault(resolver.resolveNs(name), []),
        orDefault(resolver.resolveSoa(name), undefined),
      ]);
      return [...names, ...(soa ? [soa.nsname] : [])].map((host) => host.toLowerCase().replace(/\.$/, ''));
    },
  };
}
