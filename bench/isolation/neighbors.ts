/** Kinds of load that one account causes. */
export const NEIGHBORS = {
  requests: '200 open requests of 30 s',
  streams: '200 AI streams',
  keys: 'ten keys that hammer',
  deployments: '200 queued deployments',
  events: '5,000 events to a hanging receiver',
} as const;
export type Neighbor = keyof typeof NEIGHBORS;

/** Settings of the process that generates the noise (noise.ts). */
export interface NoiseSettings {
  neighbor: Neighbor;
  baseUrl: string;
  accountId: string;
  secretKeys: readonly string[];
  /** Host name of the account's application. */
  host: string;
  /** URL of a repository that can be deployed. */
  repoUrl: string;
}
