import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { getMe } from '../../contract/accounts/me.ts';
import { getOverview } from '../../contract/accounts/overview.ts';
import type { CallerInput, Output, Route } from '../../contract/route.ts';
import { sendOnce } from './attempts.ts';
import { useApi } from './context.ts';
import { toFailure } from './failure.ts';
import { retryOnce } from './query-client.ts';
import { useInvalidate } from './use-api-query.ts';

/**
 * Calls a writing operation of the contract. The same input, sent again by a double click, another form or after a lost response, is
 * executed once ({@link sendOnce}). A deletion also succeeds if the API responds with 404 after the response to an earlier attempt was lost.
 *
 * @param invalidates operations whose cached reads the write makes stale
 */
export function useApiMutation<R extends Route>(
  route: R,
  invalidates: readonly { id: string }[] = [],
): UseMutationResult<Output<R>, Error, CallerInput<R>> {
  const api = useApi();
  const refresh = useInvalidate();
  // Only POST creates something new each time.
  const creates = route.method === 'POST';
  return useMutation<Output<R>, Error, CallerInput<R>>({
    mutationFn: (input) =>
      sendOnce(route.id, input, route.method, async ({ idempotencyKey, isLost }) => {
        try {
          return await api.call(route, input, creates ? { idempotencyKey } : {});
        } catch (error) {
          // Nothing reads the response to a deletion.
          if (route.method === 'DELETE' && isLost && toFailure(error).status === 404) return {} as Output<R>;
          throw error;
        }
      }),
    retry: retryOnce,
    // Most changes affect the account's usage and its overview.
    onSettled: () => refresh([getMe, getOverview, ...invalidates]),
  });
}
