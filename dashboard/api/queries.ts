import { QueryClient, type QueryState } from '@tanstack/react-query';
import { failureOf } from './failure.ts';

/** How often a call is tried again before its failure is shown. */
const RETRIES = 2;
const LONGEST_WAIT = 15_000;

const backoff = (failures: number, error: unknown): number =>
  (failureOf(error).retryAfter ?? 0) * 1000 || Math.min(LONGEST_WAIT, 500 * 2 ** failures);

const worthRetrying = (failures: number, error: unknown): boolean => failureOf(error).passes && failures < RETRIES;

/**
 * How long until a read that failed is tried again by itself, in milliseconds: a screen recovers without being asked to.
 * `false`: not at all, the failure is about what was asked for.
 */
export function recovery({
  state,
}: {
  state: Pick<QueryState<unknown>, 'status' | 'error' | 'errorUpdateCount'>;
}): number | false {
  if (state.status !== 'error' || !failureOf(state.error).passes) return false;
  return backoff(state.errorUpdateCount + RETRIES, state.error);
}

/** Reads are shared, kept a moment, and retried; writes are retried only where a repeat is known to be harmless. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: worthRetrying,
        retryDelay: backoff,
        refetchInterval: recovery,
        // The local run is reachable without any network.
        networkMode: 'always',
      },
      mutations: { retryDelay: backoff, networkMode: 'always' },
    },
  });
}

/** A write may be repeated by itself when its idempotency key makes it one. */
export const retryOnce = (failures: number, error: unknown): boolean => failureOf(error).status === 0 && failures < 1;
