import { LIMITS } from '../contract/limits/limits.ts';
import type { Config } from './config.ts';

/**
 * Shares of the account's concurrency that are reserved for functions on which others depend, and for functions that third parties can slow
 * down: other traffic cannot use these shares up, and these functions cannot use more. Applications have their own reservations, so the API's
 * functions share the remaining concurrency, which AWS keeps at 100 or more (docs/decisions/0038-timeouts-alarms-costs.md).
 */
const SHARES: Record<string, number> = {
  // All lanes of a new table's stream.
  'stream/onTableChange': 0.04,
  // A delivery occupies an instance until its receiver has answered.
  'queue/deliverWebhook': 0.15,
  // A call occupies an instance until its last byte.
  'ai/chatCompletions': 0.1,
  // A call waits for a host that its caller chooses and that may be arbitrarily slow.
  'dashboard/inspectRepository': 0.01,
  'dashboard/checkCustomDomain': 0.01,
};
/**
 * Consumption of the table's stream: concurrent batches of each shard, which have different partition keys (AWS allows ten); changes in a
 * batch; and the initial shards of an on-demand table (4,000 write units a second, with 1,000 for each partition:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html).
 */
export const STREAM = { lanesOfShard: 10, batchSize: 100, firstShards: 4 } as const;
/** The fraction of the delivery slots for endpoints that have been slow for long. */
const SLOW_PART = 0.25;
/** Lambda's minimum for a queue (API reference, ScalingConfig). */
const MIN_SLOTS = 2;

/** Returns the number of concurrent delivery attempts in each lane. */
export function deliverySlots(concurrency: number): { main: number; slow: number } {
  const slow = Math.max(MIN_SLOTS, Math.floor(concurrency * SLOW_PART));
  return { main: Math.max(MIN_SLOTS, concurrency - slow), slow };
}

/** Concurrency reserved for each scheduled job, which runs once a minute and ends within the minute. */
const SCHEDULED = 2;
/** Jobs without a reservation: they can wait, so they share the account's concurrency. */
const CAN_WAIT = ['schedule/migrate', 'schedule/measureQuotas'];
/** Minimum concurrency of an account for reservations. Below it there is no room: AWS keeps 100, and applications reserve at least 20 each. */
const MIN_CONCURRENCY = 500;

/** Returns a function's share of the account's concurrency; 0 if it has none. */
export const shareOf = (concurrency: number, name: string): number => Math.floor(concurrency * (SHARES[name] ?? 0));

/** Returns the sum of all shares of the account's concurrency. */
export const sharesOf = (concurrency: number): number =>
  Object.keys(SHARES).reduce((sum, name) => sum + shareOf(concurrency, name), 0);

/**
 * The fraction of the AI calls' concurrency that one account may use. A call occupies an instance until its provider has answered, so one
 * account at its limit would otherwise leave no capacity for others.
 */
const AI_ACCOUNT_PART = 0.25;

/** Returns the limit of open AI calls per account if it is below the usual limit; otherwise undefined. */
export function aiCallsPerAccount(
  config: Pick<Config, 'stage' | 'lambdaConcurrency' | 'deliveryConcurrency' | 'aiCapacity'>,
): number | undefined {
  // In the local run and on managed instances, one environment serves hundreds of calls.
  if (config.stage === 'local' || config.aiCapacity === 'managed') return undefined;
  const concurrency = reservedConcurrency(config, 'ai/chatCompletions') ?? config.lambdaConcurrency;
  const perAccount = Math.max(1, Math.floor(concurrency * AI_ACCOUNT_PART));
  return perAccount < LIMITS.concurrentAiCalls.amounts ? perAccount : undefined;
}

/** Returns the concurrency to reserve for a function; undefined if it shares the account's concurrency. */
export function reservedConcurrency(
  {
    stage,
    lambdaConcurrency,
    deliveryConcurrency,
  }: Pick<Config, 'stage' | 'lambdaConcurrency' | 'deliveryConcurrency'>,
  name: string,
): number | undefined {
  // In the local run each invocation is a thread of one machine.
  if (stage === 'local' || lambdaConcurrency < MIN_CONCURRENCY) return undefined;
  if (name.startsWith('schedule/')) return CAN_WAIT.includes(name) ? undefined : SCHEDULED;
  // A smaller reservation than the queue's concurrency would throttle messages until they reach the failure queue.
  if (name === 'queue/deliverWebhook') return deliveryConcurrency;
  return shareOf(lambdaConcurrency, name) || undefined;
}
