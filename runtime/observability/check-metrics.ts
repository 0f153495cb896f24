import type { CheckResult } from '../../domain/processes/checks.ts';
import { log, metrics } from './log.ts';

/** Logs and counts the results of the synthetic checks; alarms read them (lib/stacks/measured-alarms.ts). */
export function reportChecks({
  accountId,
  results,
}: {
  accountId: string;
  results: readonly CheckResult[];
}): CheckResult[] {
  for (const { check, outcome, ...about } of results) {
    const passed = outcome === 'PASSED';
    const counted = metrics({ check }, { CheckSuccess: [passed ? 1 : 0, 'Count'] });
    if (passed) log.info('check passed', { ...about, ...counted });
    else log.warn('check failed', { ...about, ...counted });
  }
  const failures = results.filter(({ outcome }) => outcome === 'FAILED').length;
  // A metric costs for every hour in which it has a value, so failures are counted only if there are any.
  const counts: Parameters<typeof metrics>[1] = { ChecksDone: [1, 'Count'] };
  if (failures > 0) counts.CheckFailures = [failures, 'Count'];
  log.info('checks done', { accountId, failures, ...metrics({}, counts) });
  return [...results];
}
