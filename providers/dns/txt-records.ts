import { newResolver, orDefault } from './targets.ts';

/** Reads TXT records. */
export interface TxtRecords {
  /** Reads the texts at a name; none where the name does not exist. Throws where the name servers do not answer. */
  at(name: string): Promise<string[]>;
}

/** @param servers whom to ask (`127.0.0.1:5353`); whom the system asks, where there are none */
export function createTxtRecords(servers: readonly string[]): TxtRecords {
  return {
    at: async (name) => (await orDefault(newResolver(servers).resolveTxt(name), [])).map((parts) => parts.join('')),
  };
}
