import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';

/** A change in Lambda's record format. */
export interface StreamRecord {
  sequenceNumber: string;
  /** Time of the change in epoch milliseconds. */
  changedAt: number;
  /** The record in the form in which the event contains it. */
  event: JsonObject;
}

/** Failure settings of the event source mapping. */
export interface BatchPolicy {
  /** Maximum number of retries of a failing batch; -1 for no limit. */
  retries: number;
  bisect: boolean;
  /** Maximum age of a record in milliseconds; -1 for no limit. */
  maxAgeMs: number;
  /** ReportBatchItemFailures: the function may report the first failed record. */
  reportsFailures: boolean;
}

type Condition = 'RetryAttemptsExhausted' | 'MaximumRecordAgeExceeded';

export interface BatchPort {
  invoke(records: readonly StreamRecord[]): Promise<Json>;
  /** Sends dropped records to the on-failure destination. */
  drop(records: readonly StreamRecord[], condition: Condition, attempts: number): Promise<void>;
  pause(milliseconds: number): Promise<void>;
  now(): number;
}

const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 30_000;

/** Returns the index of the first record that the function reports as failed; undefined if none. */
function firstFailure(answer: Json, records: readonly StreamRecord[]): number | undefined {
  const failures = isObject(answer) && Array.isArray(answer.batchItemFailures) ? answer.batchItemFailures : [];
  if (failures.length === 0) return undefined;
  const indexes = failures.map((failure) => {
    const identifier = isObject(failure) ? failure.itemIdentifier : undefined;
    return records.findIndex(({ sequenceNumber }) => sequenceNumber === identifier);
  });
  // As in Lambda, an unknown identifier fails the whole batch.
  return Math.max(0, Math.min(...indexes));
}

/** Drops the records that exceed the maximum age, and returns the others. */
async function dropExpired(
  records: readonly StreamRecord[],
  attempts: number,
  policy: BatchPolicy,
  port: BatchPort,
): Promise<readonly StreamRecord[]> {
  const oldest = policy.maxAgeMs < 0 ? Number.NEGATIVE_INFINITY : port.now() - policy.maxAgeMs;
  const expired = records.filter(({ changedAt }) => changedAt < oldest);
  if (expired.length === 0) return records;
  await port.drop(expired, 'MaximumRecordAgeExceeded', attempts);
  return records.filter(({ changedAt }) => changedAt >= oldest);
}

/** Invokes the function. Returns the number of records that it processed: zero if it failed. */
async function invoke(records: readonly StreamRecord[], policy: BatchPolicy, port: BatchPort): Promise<number> {
  try {
    const answer = await port.invoke(records);
    const failed = policy.reportsFailures ? firstFailure(answer, records) : undefined;
    return failed ?? records.length;
  } catch {
    // The pool has logged the error.
    return 0;
  }
}

/**
 * Invokes the function with a batch until every record is processed or dropped: in order, with pauses between retries, and
 * bisecting the batch if the mapping says so. Rejects only if `pause` or `drop` rejects.
 */
export async function deliverBatch(
  batch: readonly StreamRecord[],
  policy: BatchPolicy,
  port: BatchPort,
): Promise<void> {
  let records = batch;
  for (let attempt = 1; ; attempt += 1) {
    records = await dropExpired(records, attempt - 1, policy, port);
    if (records.length === 0) return;
    const processed = await invoke(records, policy, port);
    if (processed === records.length) return;
    if (processed > 0) {
      // The function made progress: the remaining records are a new batch.
      await port.pause(MIN_PAUSE_MS);
      return deliverBatch(records.slice(processed), policy, port);
    }
    if (policy.bisect && records.length > 1) {
      const half = Math.ceil(records.length / 2);
      await deliverBatch(records.slice(0, half), policy, port);
      return deliverBatch(records.slice(half), policy, port);
    }
    if (policy.retries >= 0 && attempt > policy.retries) {
      return port.drop(records, 'RetryAttemptsExhausted', attempt);
    }
    await port.pause(Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (attempt - 1)));
  }
}
