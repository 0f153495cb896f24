import { MutationCache, onlineManager, QueryClient, type QueryState } from '@tanstack/react-query';
import { toFailure } from './failure.ts';

/** Retries before a failure is shown. */
const MAX_RETRIES = 2;
const MAX_BACKOFF_MS = 15_000;

const backoff = (failures: number, error: unknown): number =>
  (toFailure(error).retryAfter ?? 0) * 1000 || Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures);

const shouldRetry = (failures: number, error: unknown): boolean =>
  toFailure(error).isTransient && failures < MAX_RETRIES;

/**
 * Returns the milliseconds until a failed read is repeated, so that a screen recovers without a reload. `false` if a retry
 * cannot help.
 */
export function recoveryInterval({
  state,
}: {
  state: Pick<QueryState<unknown>, 'status' | 'error' | 'errorUpdateCount'>;
}): number | false {
  if (state.status !== 'error' || !toFailure(state.error).isTransient) return false;
  return backoff(state.errorUpdateCount + MAX_RETRIES, state.error);
}

/**
 * Creates the query cache. Reads are shared, cached for five seconds and retried; writes are retried only where that is safe. When a
 * write does not reach the service, or the browser loses or regains its connection, all active reads are fetched again: they show
 * whether the service can be reached, and repeat until it can.
 */
export function createQueryClient(): QueryClient {
  const refetchActive = () => void client.invalidateQueries({ refetchType: 'active' });
  const client = new QueryClient({
    mutationCache: new MutationCache({
      onError: (error) => {
        if (toFailure(error).status === 0) refetchActive();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: shouldRetry,
        retryDelay: backoff,
        refetchInterval: recoveryInterval,
        // The local run is reachable without any network.
        networkMode: 'always',
      },
      mutations: { retryDelay: backoff, networkMode: 'always' },
    },
  });
  onlineManager.subscribe(refetchActive);
  return client;
}

/** Retries a write once if no response arrived; its idempotency key prevents a second execution. */
export const retryOnce = (failures: number, error: unknown): boolean => toFailure(error).status === 0 && failures < 1;

interface Attempts {
  isPending: boolean;
  failureCount: number;
  errorUpdateCount: number;
}

/** True while a read has neither data nor a failed attempt. A screen may wait for such a read, but not for one that keeps failing. */
export const isFirstAttempt = ({ isPending, failureCount, errorUpdateCount }: Attempts): boolean =>
  isPending && failureCount === 0 && errorUpdateCount === 0;
