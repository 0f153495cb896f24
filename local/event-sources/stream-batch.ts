import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';

/** One change as Lambda receives it. */
export interface StreamRecord {
  sequenceNumber: string;
  /** Epoch milliseconds at which the change was made. */
  madeAt: number;
  /** The record itself, as it stands in the event. */
  event: JsonObject;
}

/** What the event source mapping says about failure. */
export interface BatchPolicy {
  /** Times that a failing batch is tried again; -1 for ever. */
  retries: number;
  bisect: boolean;
  /** Older records are given up; -1 never. */
  maxAgeMs: number;
  /** ReportBatchItemFailures: the function may say from which record on it failed. */
  reportsFailures: boolean;
}

type Condition = 'RetryAttemptsExhausted' | 'MaximumRecordAgeExceeded';

export interface BatchPort {
  invoke(records: readonly StreamRecord[]): Promise<Json>;
  /** Tells the on-failure destination. */
  giveUp(records: readonly StreamRecord[], condition: Condition, attempts: number): Promise<void>;
  pause(milliseconds: number): Promise<void>;
  now(): number;
}

const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 30_000;

/** Index of the first record that the function says it has not done; undefined when all are done. */
function firstFailure(answer: Json, records: readonly StreamRecord[]): number | undefined {
  const failures = isObject(answer) && Array.isArray(answer.batchItemFailures) ? answer.batchItemFailures : [];
  if (failures.length === 0) return undefined;
  const indexes = failures.map((failure) => {
    const identifier = isObject(failure) ? failure.itemIdentifier : undefined;
    return records.findIndex(({ sequenceNumber }) => sequenceNumber === identifier);
  });
  // An identifier that is not of this batch makes the whole batch a failure, as in Lambda.
  return Math.max(0, Math.min(...indexes));
}

/**
 * Hands a batch to the function until every record of it is done or given up: in order, again after a pause, in halves
 * where the mapping says so. Rejects only when `pause` or `giveUp` do.
 */
export async function deliverBatch(
  batch: readonly StreamRecord[],
  policy: BatchPolicy,
  port: BatchPort,
): Promise<void> {
  let records = batch;
  for (let attempt = 1; ; attempt += 1) {
    const oldest = policy.maxAgeMs < 0 ? Number.NEGATIVE_INFINITY : port.now() - policy.maxAgeMs;
    const expired = records.filter(({ madeAt }) => madeAt < oldest);
    if (expired.length > 0) {
      await port.giveUp(expired, 'MaximumRecordAgeExceeded', attempt - 1);
      records = records.filter(({ madeAt }) => madeAt >= oldest);
    }
    if (records.length === 0) return;
    try {
      const answer = await port.invoke(records);
      const failed = policy.reportsFailures ? firstFailure(answer, records) : undefined;
      if (failed === undefined) return;
      if (failed > 0) {
        // It got somewhere: what is left is a batch of its own.
        await port.pause(FIRST_PAUSE);
        return deliverBatch(records.slice(failed), policy, port);
      }
    } catch {
      // The pool has logged it.
    }
    if (policy.bisect && records.length > 1) {
      const half = Math.ceil(records.length / 2);
      await deliverBatch(records.slice(0, half), policy, port);
      return deliverBatch(records.slice(half), policy, port);
    }
    if (policy.retries >= 0 && attempt > policy.retries) {
      return port.giveUp(records, 'RetryAttemptsExhausted', attempt);
    }
    await port.pause(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)));
  }
}
