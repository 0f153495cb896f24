import type { AccountScopedId } from '../../table/entity.ts';
import { log, metrics } from './log.ts';

/** Counts failed requests to hosting servers; an alarm uses the metric (lib/stacks/product-alarms.ts). The line says whose hosting it was. */
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
