import { windowQueue } from '../../domain/ai/closing.ts';
import { sweepJob } from '../../domain/sweep/sweep-all.ts';
import { deps } from '../../runtime/deps.ts';
import { reportRepairs } from '../../runtime/observability/ledger-metrics.ts';
import { reporting, sweeper } from '../../runtime/triggers/sweeper.ts';

/** Every minute: closes the windows of AI accounts, which settles and releases the calls that crashed. */
export const handler = sweeper({ windows: reporting(sweepJob(deps, windowQueue), reportRepairs) });
