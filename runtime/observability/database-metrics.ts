import type { MeasuredUse } from '../../domain/databases/use.ts';
import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { log, metrics } from './log.ts';

/** Logs the database use of each account, and counts the new use of all accounts for an alarm (lib/stacks/measured-alarms.ts). */
export function reportDatabaseUse({ results }: SweepReport<MeasuredUse>): void {
  for (const { newUnits, ...use } of results)
    log.info('databases measured', {
      ...use,
      newUnits,
      ...(newUnits > 0 ? metrics({}, { DatabaseUnits: [newUnits, 'Count'] }) : {}),
    });
}
