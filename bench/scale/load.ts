import type { OperationName } from './operations.ts';

/**
 * The load and the resources of an average account. These are assumptions, not measurements: change them here and generate the page again.
 * The busiest second has ten times the average load, which corresponds to working days in a single time zone.
 */
export const PEAK_FACTOR = 10;
export const SECONDS_OF_MONTH = 730 * 3600;

/** Operations of an average account per month. For those in {@link OperationName}, the capacity is measured. */
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

/** Seconds for which one operation occupies a Lambda execution environment or a builder. */
export const DURATION_S = {
  apiRequest: 0.05,
  delivery: 0.25,
  aiCall: 10,
  hostedRequest: 0.1,
  build: 120,
  /** A full batch of stream changes: reads of endpoints and feeds, and ten batches of messages. */
  streamBatch: 0.3,
} as const;

/** Resources of an average account. */
export const AVERAGE_ACCOUNT = {
  applications: 1.5,
  /** Host names, including those under the platform's domain. */
  hosts: 2,
  customDomains: 0.5,
  databases: 0.3,
  domains: 0.3,
} as const;

/** Compressed size of a release, in megabytes. */
export const RELEASE_MB = 10;

/** Returns the operations per second of a number of accounts at peak load. */
export const peakRate = (accounts: number, operation: LoadName): number =>
  (accounts * PER_MONTH[operation] * PEAK_FACTOR) / SECONDS_OF_MONTH;
