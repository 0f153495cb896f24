import { ApiError, temporaryFailure } from '../contract/errors.ts';
import { TIMEOUTS_S } from '../contract/limits/timeouts.ts';
import type { Entity } from '../table/entity.ts';
import type { Change } from '../table/expressions.ts';
import type { Table } from '../table/table.ts';
import { change, type Write } from '../table/writes.ts';

/** The data that a write was based on changed since it was read. */
export class ConcurrentUpdateError extends Error {
  override readonly name = 'ConcurrentUpdateError';
}

/** Creates the error of a write whose condition no longer holds. */
export const concurrentUpdate = () => new ConcurrentUpdateError('the item was changed concurrently');

/**
 * Returns a conditional write of an item that many transactions change. A conflict with another transaction means that the state
 * the write is based on is about to change: repeating the same transaction could only fail, so the caller has to read again.
 */
export const contended = (write: Write): Write => ({ ...write, onConflict: concurrentUpdate });

/** Returns the result of the work; undefined if another writer was first and nothing remains to be done. */
export async function ignoreConflict<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    return undefined;
  }
}

/** Applies all writes or none. @returns false if a condition no longer holds and nothing remains to be done */
export const tryTransact = async ({ table }: { table: Table }, writes: readonly Write[]): Promise<boolean> =>
  (await ignoreConflict(table.transact(writes).then(() => true))) ?? false;

/** Changes an item and returns it; undefined if its conditions no longer hold and nothing remains to be done. */
export const tryChange = <T, K>(
  { table }: { table: Table },
  entity: Entity<T, K>,
  id: K,
  changes: Change,
): Promise<T | undefined> => ignoreConflict(table.write(entity, change(entity, id, changes, concurrentUpdate)));

export interface RetryOptions {
  /** Number of attempts, the first included; 8 unless given. */
  attempts?: number;
  /** Maximum time from the first attempt to the start of the last, in milliseconds; 5,000 unless given. */
  maxMs?: number;
  /** Creates the error that is thrown instead of the last conflict. */
  onExhausted?: () => Error;
  /** Clock and random numbers, replaced in tests. */
  timing?: Timing;
}

export interface Timing {
  /** The time in milliseconds. */
  now(): number;
  /** A number from 0 to 1. */
  random(): number;
  wait(milliseconds: number): Promise<unknown>;
}

const TIMING: Timing = {
  now: () => performance.now(),
  random: Math.random,
  wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
};

/** The backoff doubles with each attempt, up to this many times its base. */
const MAX_BACKOFF_FACTOR = 32;
/** The base of the backoff is the duration of an attempt, and at least this, in milliseconds. */
const MIN_BACKOFF_BASE_MS = 4;

/**
 * Repeats work that fails with a concurrent update, until it succeeds. Each attempt must read the data again that its writes are
 * conditional on, and must change nothing before its final write.
 *
 * Between attempts it waits for a random part of the attempt's duration, doubled with each conflict, and for at most half of the
 * remaining time. More conflicts mean more contenders, so the attempts spread wider. A slow table receives fewer requests.
 *
 * @throws {ConcurrentUpdateError} the last one, or `onExhausted`, when attempts or time run out; any other error immediately
 */
export async function retryOnConflict<T>(
  work: (attempt: number) => Promise<T>,
  { attempts = 8, maxMs = 5000, onExhausted, timing = TIMING }: RetryOptions = {},
): Promise<T> {
  const first = timing.now();
  for (let attempt = 1; ; attempt += 1) {
    const began = timing.now();
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof ConcurrentUpdateError)) throw error;
      const ended = timing.now();
      const remaining = first + maxMs - ended;
      if (attempt === attempts || remaining <= 0) throw onExhausted?.() ?? error;
      const base = Math.max(ended - began, MIN_BACKOFF_BASE_MS);
      // One slow attempt must not use up the remaining time: on a busy machine the next attempt may well succeed.
      await timing.wait(timing.random() * Math.min(base * Math.min(2 ** attempt, MAX_BACKOFF_FACTOR), remaining / 2));
    }
  }
}

/** Creates the error of a request whose attempts all ended in conflicts: 503, to be retried by the caller. */
export const serviceBusy = () => temporaryFailure('The service is busy.', { status: 503 });

/**
 * Retry options of requests. Scripts send dozens of changes of one item concurrently, and the whole platform shares one sequence of
 * invoice numbers, so a request may lose many times.
 */
const REQUEST_RETRIES = { attempts: 60, maxMs: TIMEOUTS_S.api.conflicts * 1000, onExhausted: serviceBusy };

/** Repeats the work of a request as {@link retryOnConflict} does. Throws 503 if conflicts persist for longer than a caller waits. */
export const retryRequest = <T>(work: (attempt: number) => Promise<T>): Promise<T> =>
  retryOnConflict(work, REQUEST_RETRIES);

/** Creates the error of a request that is not retried after a conflict: 409. */
export const changedConcurrently = () =>
  new ApiError('conflict', 'This was changed by another request at the same time. Repeat the request.');
