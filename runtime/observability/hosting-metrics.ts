import { log, metrics } from './log.ts';

/** Counts what hosting servers had against what was asked of them; an alarm reads it (lib/operations.ts). */
export function reportHosting(settled: { problem?: string }): { problem?: string } {
  if (settled.problem) {
    log.warn('a hosting server did not do it', { ...settled, ...metrics({}, { HostingProblems: [1, 'Count'] }) });
  }
  return settled;
}
