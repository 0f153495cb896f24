import type { AccountScopedId } from '../../table/entity.ts';
import { log, metrics } from './log.ts';

/** Counts a failed request to a hosting server for an alarm (lib/stacks/product-alarms.ts), and logs the subscription. */
export function reportHosting(
  { accountId, id: subscriptionId }: AccountScopedId,
  settled: { problem?: string },
): { problem?: string } {
  if (settled.problem) {
    const about = { accountId, subscriptionId, ...settled };
    log.warn('hosting server request failed', { ...about, ...metrics({}, { HostingProblems: [1, 'Count'] }) });
  }
  return settled;
}
