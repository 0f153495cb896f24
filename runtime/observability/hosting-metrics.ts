import { log, metrics } from './log.ts';

/** Counts failed requests to hosting servers; an alarm uses the metric (lib/stacks/product-alarms.ts). */
export function reportHosting(settled: { problem?: string }): { problem?: string } {
  if (settled.problem) {
    log.warn('hosting server request failed', { ...settled, ...metrics({}, { HostingProblems: [1, 'Count'] }) });
  }
  return settled;
}
