import { windowQueue } from '../../domain/ai/closing.ts';
import { ledgerQueue } from '../../domain/ai/ledger.ts';
import { sweepJob } from '../../domain/sweep/sweep-all.ts';
import { deps } from '../../runtime/deps.ts';
import { reportLedgers, reportRepairs } from '../../runtime/observability/ledger-metrics.ts';
import { reporting, sweeper } from '../../runtime/triggers/sweeper.ts';

/**
 * Every minute: closes the windows of AI accounts, which settles and releases crashed calls, and compares the due AI credit ledgers
 * with their balances.
 */
export const handler = sweeper({
  windows: reporting(sweepJob(deps, windowQueue), reportRepairs),
  ledgers: reporting(sweepJob(deps, ledgerQueue), reportLedgers),
});
