import type { FailureName } from '../../contract/operator/failures.ts';
import { BY_OPERATOR, committing } from '../../domain/audit/record.ts';
import { discardFailures, listFailures, readFailures, replayFailures } from '../../domain/operator/failures.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { failureQueues } from '../../runtime/bindings/failures.ts';
import { jobQueues as jobs } from '../../runtime/bindings/job-queues.ts';
import { replays } from '../../runtime/bindings/replays.ts';
import { zoneSyncQueue } from '../../runtime/bindings/zone-sync-queue.ts';
import { deps } from '../../runtime/deps.ts';

const CALLER = { accountId: '', keyId: '' };

/** Prints the error of a queue that could not be counted, or of a message that could not be replayed. */
const printError = (name: string, error: unknown) => console.error(`${name}: ${String(error)}`);

/** Lists the failure queues, or the failed work in one of them. */
export const list = async (name: FailureName | undefined) =>
  name === undefined
    ? await listFailures({ ...deps, failureQueues, onCountError: printError })
    : await readFailures({ ...deps, failureQueues }, CALLER, { name });

/** Replays or discards the failed work in a failure queue, like the operation of the API. */
export async function settle(action: 'replay' | 'discard', input: { name: FailureName; reason: string }) {
  const operator = { ...deps, commit: committing(deps, { ...BY_OPERATOR, reason: input.reason }) };
  const all = { ...operator, failureQueues, queue, jobs, zoneSyncQueue, replays, onReplayError: printError };
  return await (action === 'replay' ? replayFailures(all, CALLER, input) : discardFailures(all, CALLER, input));
}
