import { ledgerQueue } from '../../domain/ai/ledger.ts';
import { sweepJob } from '../../domain/sweep/sweep-all.ts';
import { deps } from '../../runtime/deps.ts';
import { reportLedgers } from '../../runtime/observability/ledger-metrics.ts';
import { reporting, sweeper } from '../../runtime/triggers/sweeper.ts';

/** Every minute: compares the AI credit ledgers of the accounts that are due with their balances. */
export const handler = sweeper({ ledgers: reporting(sweepJob(deps, ledgerQueue), reportLedgers) });
