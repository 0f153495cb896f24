import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useApi } from '../api/context.ts';
import { failureOf } from '../api/failure.ts';

/** Whether anything that is on the screen cannot be read at the moment. */
function useFailing(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache.getAll().some((query) => {
        const { fetchFailureCount, fetchFailureReason } = query.state;
        return query.isActive() && fetchFailureCount > 0 && failureOf(fetchFailureReason).passes;
      }),
  );
}

/** Says that the service does not answer, or answers slowly, and that the page goes on trying. It goes away by itself. */
export function ConnectionBanner() {
  const api = useApi();
  const failing = useFailing();
  const slow = useSyncExternalStore(api.subscribe, () => api.slow > 0);
  return (
    <div role="status" aria-live="polite">
      {(failing || slow) && (
        <div className="status status-warn connection">
          {failing
            ? 'The service does not answer as it should. This page keeps trying.'
            : 'The service is slow to answer. Still waiting.'}
        </div>
      )}
    </div>
  );
}
