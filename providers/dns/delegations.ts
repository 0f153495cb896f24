import { newResolver, orDefault } from './targets.ts';

/** Reads where resolvers are sent for a name. */
export interface Delegations {
  /**
   * Reads the name servers of a zone apex, in lower case, and the one that its SOA record names as the first: that one also tells of
   * a zone whose owner gave its name servers names of the owner's own. None if the name does not exist. Throws if no server answers.
   */
  of(name: string): Promise<string[]>;
}

/** @param servers whom to ask (`127.0.0.1:5353`); whom the system asks, where there are none */
export function createDelegations(servers: readonly string[]): Delegations {
  return {
    async of(name) {
      const resolver = newResolver(servers);
      const [names, soa] = await Promise.all([
        orDefault(resolver.resolveNs(name), []),
        orDefault(resolver.resolveSoa(name), undefined),
      ]);
      return [...names, ...(soa ? [soa.nsname] : [])].map((each) => each.toLowerCase().replace(/\.$/, ''));
    },
  };
}
