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
 * Calls an operation of the contract that writes. The same input sent twice, by a double click or after a lost response,
 * has the same idempotency key until it succeeds, so that the API executes it once. A deletion that an attempt before has carried
 * out, whose response was lost, succeeds.
 *
 * @param invalidates operations whose cached reads are out of date afterwards
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
    // What the account has and uses, and what it has to do, follows from most changes.
    onSettled: () => refresh([getMe, getOverview, ...invalidates]),
  });
}
