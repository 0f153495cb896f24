import type { Repair } from '../../domain/ai/closing.ts';
import type { LedgerCheck } from '../../domain/ai/ledger.ts';
import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { log, metrics } from './log.ts';

/** Logs the number of checked AI ledgers, and counts the mismatches. */
export function reportLedgers({ results }: SweepReport<LedgerCheck>): void {
  const mismatches = results.filter((result) => typeof result === 'object');
  const busy = results.filter((result) => result === 'busy').length;
  const checked = results.length - busy;
  log.info('ledgers checked', {
    checked,
    busy,
    mismatches,
    ...(mismatches.length > 0
      ? metrics({ operation: 'checkAiLedgers' }, { LedgerMismatches: [mismatches.length, 'Count'] })
      : {}),
  });
}

/** Logs the AI calls that crashed, or whose last write was lost. */
export function reportRepairs({ results: repairs }: SweepReport<Repair>): void {
  if (repairs.length > 0) log.warn('ai calls settled late', { repairs });
}
