import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useApi } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';

/** Returns true while a read of the current screen fails. */
function useIsFailing(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache.getAll().some((query) => {
        const { fetchFailureCount, fetchFailureReason } = query.state;
        return query.isActive() && fetchFailureCount > 0 && toFailure(fetchFailureReason).isTransient;
      }),
  );
}

/** A banner shown while the service fails or is slow. It disappears once the service responds. */
export function ConnectionBanner() {
  const api = useApi();
  const failing = useIsFailing();
  const slow = useSyncExternalStore(api.subscribe, () => api.slowCalls > 0);
  return (
    <div role="status" aria-live="polite">
      {(failing || slow) && (
        <div className="status status-warn connection">
          {failing
            ? 'The service is not responding. This page will keep retrying.'
            : 'The service is responding slowly. Still waiting…'}
        </div>
      )}
    </div>
  );
}
