import { useInfiniteQuery } from '@tanstack/react-query';
import { listModels } from '../../contract/ai/gateway.ts';
import {
  buyAiCredits,
  deleteProviderKey,
  getAiCredits,
  listProviderKeys,
  putProviderKey,
} from '../../contract/ai/management.ts';
import type { Output } from '../../contract/route.ts';
import { useAct } from '../api/act.ts';
import { useApi } from '../api/context.ts';
import { recovery } from '../api/queries.ts';
import { useRead } from '../api/use-api-query.ts';

export type Credits = Output<typeof getAiCredits>['data'];
export type Entry = Credits['entries'][number];
export type Provider = Output<typeof listProviderKeys>['data'][number];

/** Entries of the ledger that are read at once. */
const AT_ONCE = 100;

const unique = (entries: readonly Entry[]): Entry[] => [...new Map(entries.map((entry) => [entry.id, entry])).values()];

/** What is left, and the ledger a page at a time; what was read of it is refreshed as one. */
export function useCredits() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [getAiCredits.id],
    queryFn: ({ pageParam }) =>
      api.call(getAiCredits, { query: { limit: String(AT_ONCE), offset: String(pageParam) } }),
    initialPageParam: 0,
    getNextPageParam: ({ data: { entries } }, pages) =>
      entries.length === AT_ONCE ? pages.length * AT_ONCE : undefined,
    select: ({ pages: [first, ...more] }): { data: Credits } => {
      if (!first) throw new Error('a query that has succeeded has a page');
      const entries = [first, ...more].flatMap(({ data }) => data.entries);
      return { data: { ...first.data, entries: unique(entries) } };
    },
    refetchInterval: recovery,
  });
}
export const useBuyCredits = () => useAct(buyAiCredits, [getAiCredits]);

export const useProviders = () => useRead(listProviderKeys);
export const usePutProvider = () => useAct(putProviderKey, [listProviderKeys]);
export const useDeleteProvider = () => useAct(deleteProviderKey, [listProviderKeys]);

/** Prices change rarely. */
export const useModels = () => useRead(listModels, undefined, { staleTime: 300_000 });
