import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { CallerInput, Output, Route } from '../../contract/route.ts';
import { useApi } from './context.ts';
import { retryOnce } from './queries.ts';
import { useRefresh } from './use-api-query.ts';

/**
 * Does an operation of the contract. The same input sent twice, by a double click or after an answer that was lost, is
 * one order: it has one idempotency key until it has succeeded.
 *
 * @param refreshes the reads that are out of date afterwards
 */
export function useAct<R extends Route>(
  route: R,
  refreshes: readonly { id: string }[] = [],
): UseMutationResult<Output<R>, Error, CallerInput<R>> {
  const api = useApi();
  const refresh = useRefresh();
  const order = useRef({ text: '', key: '' });
  return useMutation<Output<R>, Error, CallerInput<R>>({
    mutationFn: (input) => {
      const text = JSON.stringify(input);
      if (order.current.text !== text || order.current.key === '') order.current = { text, key: crypto.randomUUID() };
      return api.call(route, input, { idempotencyKey: route.method === 'POST' ? order.current.key : undefined });
    },
    // A repeat does no harm: only POST makes something new each time, and it has its key.
    retry: retryOnce,
    onSuccess: () => {
      order.current = { text: '', key: '' };
    },
    onSettled: () => refresh(refreshes),
  });
}
