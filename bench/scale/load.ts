import type { OperationName } from './operations.ts';

/**
 * The load of an average account, and its possessions. Assumptions, not measurements: change them here, and the page is computed again. The
 * busiest second has ten times the average, which is what a working day concentrated in one time zone comes to.
 */
export const PEAK_FACTOR = 10;
export const SECONDS_OF_MONTH = 730 * 3600;

/** Operations of an average account in a month; those of {@link OperationName} have their capacity counted. */
export const PER_MONTH = {
  'API request': 20_000,
  'webhook event to one endpoint': 3000,
  'AI call on credits': 1000,
  deployment: 40,
  'invoice paid from the wallet': 1.5,
  'domain order': 0.05,
  'change of a DNS record': 1,
  'request of a hosted application': 200_000,
} as const satisfies Record<OperationName, number> & Record<string, number>;
export type LoadName = keyof typeof PER_MONTH;

/** Seconds that one operation occupies an execution environment of Lambda, or a builder. */
export const DURATION_S = {
  apiRequest: 0.05,
  delivery: 0.25,
  aiCall: 10,
  hostedRequest: 0.1,
  build: 120,
  /** A full batch of the stream's changes: reads of endpoints and feeds, and ten batches of messages. */
  streamBatch: 0.3,
} as const;

/** Things that an average account has. */
export const AVERAGE_ACCOUNT = {
  applications: 1.5,
  /** Host names, those of the platform included. */
  hosts: 2,
  customDomains: 0.5,
  databases: 0.3,
  domains: 0.3,
} as const;

/** Compressed size of a release, in megabytes. */
export const RELEASE_MB = 10;

/** Operations a second of so many accounts at their peak. */
export const peakRate = (accounts: number, operation: LoadName): number =>
  (accounts * PER_MONTH[operation] * PEAK_FACTOR) / SECONDS_OF_MONTH;
