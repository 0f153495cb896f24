import { log, metrics } from './log.ts';

/** Measures how many flags are overdue, until their owners remove them; an alarm reads it (lib/stacks/measured-alarms.ts). */
export function reportExpiredFlags(names: readonly string[]): void {
  if (names.length > 0) log.warn('flags expired', { names, ...metrics({}, { ExpiredFlags: [names.length, 'Count'] }) });
}
