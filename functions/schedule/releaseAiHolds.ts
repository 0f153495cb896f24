import { expiredHoldQueue } from '../../domain/ai/credits.ts';
import { sweepJob } from '../../domain/sweep/sweep-all.ts';
import { deps } from '../../runtime/deps.ts';
import { sweeper } from '../../runtime/triggers/sweeper.ts';

/** Every minute: releases the credit holds of AI calls that crashed. */
export const handler = sweeper({ holds: sweepJob(deps, expiredHoldQueue) });
