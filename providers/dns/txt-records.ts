import { Resolver } from 'node:dns/promises';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/** Reads TXT records. */
export interface TxtRecords {
  /** Reads the texts at a name; none where the name does not exist. Throws where the name servers do not answer. */
  at(name: string): Promise<string[]>;
}

/** Milliseconds that a name server has for its answer, and how often it is asked. */
const TIMEOUT_MS = TIMEOUTS_S.dnsQuery * 1000;
const MAX_TRIES = 2;

const NO_DATA_CODES = new Set(['ENOTFOUND', 'ENODATA']);
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** @param servers whom to ask (`127.0.0.1:5353`); whom the system asks, where there are none */
export function createTxtRecords(servers: readonly string[]): TxtRecords {
  return {
    async at(name) {
      // A new resolver each time: a resolver keeps the servers that it found at its start.
      const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: MAX_TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      try {
        return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
      } catch (error) {
        if (NO_DATA_CODES.has(codeOf(error))) return [];
        throw error;
      }
    },
  };
}
