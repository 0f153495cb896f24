import { LIMITS } from '../contract/limits/limits.ts';
import type { Config } from './config.ts';

/**
 * Shares of the account's concurrency that are reserved for functions on which others depend, and for those that strangers can
 * hold up: no traffic elsewhere can take it from them, and none of them can take more. Applications have reservations of their own, so the API's
 * functions share the rest, which AWS keeps at 100 or more (docs/decisions/0038-timeouts-alarms-costs.md).
 */
const SHARES: Record<string, number> = {
  // All lanes of a new table's stream.
  'stream/onTableChange': 0.04,
  // A delivery occupies an instance until its receiver has answered.
  'queue/deliverWebhook': 0.15,
  // A call occupies an instance until its last byte.
  'ai/chatCompletions': 0.1,
  // A call waits for a host that its caller chooses, which may answer as slowly as it likes.
  'dashboard/inspectRepository': 0.01,
  'dashboard/checkCustomDomain': 0.01,
};
/**
 * Consumption of the table's stream: batches of each shard at once, each of other partition keys (AWS allows ten), changes of a
 * batch, and shards of a table on demand (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html:
 * 4,000 write units a second from the start, of which a partition takes 1,000).
 */
export const STREAM = { lanesOfShard: 10, batchSize: 100, firstShards: 4 } as const;
/** The part of the slots of deliveries that endpoints have which are slow for long. */
const SLOW_PART = 0.25;
/** Lambda takes no less for a queue (API reference, ScalingConfig). */
const MIN_SLOTS = 2;

/** Returns how many deliveries are attempted at once in each lane. */
export function deliverySlots(concurrency: number): { main: number; slow: number } {
  const slow = Math.max(MIN_SLOTS, Math.floor(concurrency * SLOW_PART));
  return { main: Math.max(MIN_SLOTS, concurrency - slow), slow };
}

/** A job runs once a minute and ends within it. Migrations and measurements of quotas can wait: they share the account's concurrency. */
const SCHEDULED = 2;
const CAN_WAIT = ['schedule/migrate', 'schedule/measureQuotas'];
/** Accounts with less have no room for reservations: AWS keeps 100, and applications reserve at least 20 each. */
const MIN_CONCURRENCY = 500;

/** Returns a function's share of the account's concurrency; 0 if it has none. */
export const shareOf = (concurrency: number, name: string): number => Math.floor(concurrency * (SHARES[name] ?? 0));

/** Returns what all shares of the account's concurrency have together. */
export const sharesOf = (concurrency: number): number =>
  Object.keys(SHARES).reduce((sum, name) => sum + shareOf(concurrency, name), 0);

/**
 * The part of what AI calls have together that one account may take: a call occupies an instance for as long as its provider
 * answers, so that one account at its limit would otherwise leave nothing to the others.
 */
const AI_ACCOUNT_PART = 0.25;

/** Returns how many AI calls one account may have open where that is fewer than the usual limit; otherwise undefined. */
export function aiCallsPerAccount(
  config: Pick<Config, 'stage' | 'lambdaConcurrency' | 'deliveryConcurrency' | 'aiCapacity'>,
): number | undefined {
  // Of one machine's or managed instances' environments, each has hundreds of calls.
  if (config.stage === 'local' || config.aiCapacity === 'managed') return undefined;
  const together = reservedConcurrency(config, 'ai/chatCompletions') ?? config.lambdaConcurrency;
  const each = Math.max(1, Math.floor(together * AI_ACCOUNT_PART));
  return each < LIMITS.concurrentAiCalls.amounts ? each : undefined;
}

/** Returns the concurrency to reserve for a function; undefined if it shares the account's. */
export function reservedConcurrency(
  {
    stage,
    lambdaConcurrency,
    deliveryConcurrency,
  }: Pick<Config, 'stage' | 'lambdaConcurrency' | 'deliveryConcurrency'>,
  name: string,
): number | undefined {
  // Each invocation of the local run is a thread of one machine.
  if (stage === 'local' || lambdaConcurrency < MIN_CONCURRENCY) return undefined;
  if (name.startsWith('schedule/')) return CAN_WAIT.includes(name) ? undefined : SCHEDULED;
  // Less than its queue may start would throttle messages until they reach the failure queue.
  if (name === 'queue/deliverWebhook') return deliveryConcurrency;
  return shareOf(lambdaConcurrency, name) || undefined;
}
