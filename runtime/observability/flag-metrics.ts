import { log, metrics } from './log.ts';

/** Counts the overdue feature flags for an alarm (lib/stacks/measured-alarms.ts). */
export function reportExpiredFlags(names: readonly string[]): void {
  if (names.length > 0) log.warn('flags expired', { names, ...metrics({}, { ExpiredFlags: [names.length, 'Count'] }) });
}
