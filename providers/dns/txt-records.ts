import { newResolver, orDefault } from './targets.ts';

/** Reads TXT records. */
export interface TxtRecords {
  /** Reads the TXT records of a name; empty if the name does not exist. Throws if the name servers do not answer. */
  at(name: string): Promise<string[]>;
}

/** @param servers the DNS servers to query (`127.0.0.1:5353`); empty for those of the system */
export function createTxtRecords(servers: readonly string[]): TxtRecords {
  return {
    at: async (name) => (await orDefault(newResolver(servers).resolveTxt(name), [])).map((parts) => parts.join('')),
  };
}
