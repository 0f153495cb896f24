import { ApiError } from '../contract/errors.ts';
import type { Write } from '../table/writes.ts';

/** The data that a write was based on changed since it was read. */
export class ConcurrentUpdateError extends Error {
  override readonly name = 'ConcurrentUpdateError';
}

/** Creates the error of a write whose condition no longer holds. */
export const concurrentUpdate = () => new ConcurrentUpdateError('the item was changed concurrently');

/**
 * The write of an item that many transactions change, on the state that was read. A conflict with another transaction means that
 * this state is about to change: the caller reads again, where a repetition of the same transaction could only fail.
 */
export const contended = (write: Write): Write => ({ ...write, onConflict: concurrentUpdate });

/** Returns the result of the work; undefined where another writer was first, so that there is nothing left to do. */
export async function ignoreConflict<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    return undefined;
  }
}

export interface RetryOptions {
  /** Number of attempts, the first included; 8 unless given. */
  attempts?: number;
  /** No attempt begins later than this after the first, in milliseconds; 5,000 unless given. */
  maxMs?: number;
  /** Creates the error that is thrown instead of the last conflict. */
  onExhausted?: () => Error;
  /** Time and chance, for tests. */
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
 * Repeats work that lost a race, until it wins. Each attempt must read again what its writes are conditional on, and change
 * nothing but by its last write.
 *
 * Waits between attempts: a random part of the attempt's own duration, doubled with each conflict, and at most half of the
 * time that is left. Conflicts mean contenders, so the more there were, the wider the attempts spread; and a slow table is
 * not asked the more.
 *
 * @throws {ConcurrentUpdateError} the last one, or `onExhausted`, when attempts or time run out; any other error at once
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
      const left = first + maxMs - ended;
      if (attempt === attempts || left <= 0) throw onExhausted?.() ?? error;
      const base = Math.max(ended - began, MIN_BACKOFF_BASE_MS);
      // One slow attempt must not spend the time that is left: on a busy machine the next may win at once.
      await timing.wait(timing.random() * Math.min(base * Math.min(2 ** attempt, MAX_BACKOFF_FACTOR), left / 2));
    }
  }
}

/** Creates the error of a request that lost every race: 503, to be retried by the caller. */
export const serviceBusy = () =>
  new ApiError('server_error', 'The service is busy. It is safe to retry.', { status: 503 });

/** Repeats the work of a request as {@link retryOnConflict} does. Throws 503 where it lost every race. */
export const retryRequest = <T>(work: (attempt: number) => Promise<T>): Promise<T> =>
  retryOnConflict(work, { onExhausted: serviceBusy });

/** Creates the error of a request that does not try again: 409. */
export const changedConcurrently = () =>
  new ApiError('conflict', 'This was changed by another request at the same time. Repeat the request.');
