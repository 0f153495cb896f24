import { Resolver } from 'node:dns/promises';

/** Reads TXT records. */
export interface TxtRecords {
  /** The texts at a name, none where there is no such name. Throws where nobody answers for it. */
  at(name: string): Promise<string[]>;
}

/** Milliseconds that a name server has for its answer, and how often it is asked. */
const TIMEOUT = 1500;
const TRIES = 2;

const NOTHING = new Set(['ENOTFOUND', 'ENODATA']);
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** @param servers whom to ask (`127.0.0.1:5353`); whom the system asks, where there are none */
export function createTxtRecords(servers: readonly string[]): TxtRecords {
  return {
    async at(name) {
      // Anew each time: a resolver keeps to the servers that it found at its start.
      const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      try {
        return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
      } catch (error) {
        if (NOTHING.has(codeOf(error))) return [];
        throw error;
      }
    },
  };
}
