import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { getMe } from '../../contract/accounts/me.ts';
import { getOverview } from '../../contract/accounts/overview.ts';
import type { CallerInput, Output, Route } from '../../contract/route.ts';
import { useApi } from './context.ts';
import { toFailure } from './failure.ts';
import { retryOnce } from './query-client.ts';
import { useInvalidate } from './use-api-query.ts';

/**
 * Calls a writing operation of the contract. The same input, sent again by a double click or after a lost response, reuses its
 * idempotency key until it succeeds, so that the API executes it once. A deletion also succeeds if the API responds with 404 after
 * the response to an earlier attempt was lost.
 *
 * @param invalidates operations whose cached reads the write makes stale
 */
export function useApiMutation<R extends Route>(
  route: R,
  invalidates: readonly { id: string }[] = [],
): UseMutationResult<Output<R>, Error, CallerInput<R>> {
  const api = useApi();
  const refresh = useInvalidate();
  const attempt = useRef({ text: '', key: '', isLost: false });
  return useMutation<Output<R>, Error, CallerInput<R>>({
    mutationFn: async (input) => {
      const text = JSON.stringify(input);
      if (attempt.current.text !== text || attempt.current.key === '')
        attempt.current = { text, key: crypto.randomUUID(), isLost: false };
      const { current } = attempt;
      try {
        return await api.call(route, input, { idempotencyKey: route.method === 'POST' ? current.key : undefined });
      } catch (error) {
        const { status } = toFailure(error);
        // Nothing reads the response to a deletion.
        if (route.method === 'DELETE' && status === 404 && current.isLost) return {} as Output<R>;
        current.isLost ||= status === 0;
        throw error;
      }
    },
    // Safe to repeat: only POST creates something new each time, and it carries an idempotency key.
    retry: retryOnce,
    onSuccess: () => {
      attempt.current = { text: '', key: '', isLost: false };
    },
    // Most changes affect the account's usage and its overview.
    onSettled: () => refresh([getMe, getOverview, ...invalidates]),
  });
}
