import { useInfiniteQuery } from '@tanstack/react-query';
import { getAiProviderStats, listAiCalls } from '../../contract/ai/calls.ts';
import { listModels } from '../../contract/ai/gateway.ts';
import {
  buyAiCredits,
  deleteProviderKey,
  getAiCredits,
  getAiUsage,
  listProviderKeys,
  putProviderKey,
} from '../../contract/ai/management.ts';
import type { Output } from '../../contract/route.ts';
import { useApi } from '../api/context.ts';
import { recoveryInterval } from '../api/query-client.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';
import { useMorePages } from '../api/use-more-pages.ts';

export type Credits = Output<typeof getAiCredits>['data'];
export type LedgerEntry = Credits['entries'][number];
export type Provider = Output<typeof listProviderKeys>['data'][number];

/** Ledger entries per request. */
const PAGE_SIZE = 100;

const uniqueById = (entries: readonly LedgerEntry[]): LedgerEntry[] => [
  ...new Map(entries.map((entry) => [entry.id, entry])).values(),
];

/** Reads the credit balance and the ledger page by page; a refresh reloads all loaded pages. */
export function useCredits() {
  const api = useApi();
  const list = useInfiniteQuery({
    queryKey: [getAiCredits.id],
    queryFn: ({ pageParam }) =>
      api.call(getAiCredits, {
        query: { limit: String(PAGE_SIZE), ...(pageParam === '' ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ data: { entries, has_more } }) => (has_more ? entries.at(-1)?.id : undefined),
    select: ({ pages: [first, ...more] }): { data: Credits; pageCount: number } => {
      if (!first) throw new Error('a successful query has at least one page');
      const entries = [first, ...more].flatMap(({ data }) => data.entries);
      return { data: { ...first.data, entries: uniqueById(entries) }, pageCount: more.length + 1 };
    },
    refetchInterval: recoveryInterval,
  });
  const { data, errorUpdateCount, refetch } = list;
  return { data, errorUpdateCount, refetch, ...useMorePages(list, getAiCredits.id) };
}

/** Days that the charts cover, including today. */
export const USAGE_DAYS = 30;

export type Usage = Output<typeof getAiUsage>['data'][number];
/** Returns the name of the key, or `Dashboard` for calls without one. */
export const keyNameOf = ({ keyId, keyName }: Usage): string => keyName ?? keyId ?? 'Dashboard';
export const useUsage = () => useApiQuery(getAiUsage, { query: { days: String(USAGE_DAYS) } });

export const useBuyCredits = () => useApiMutation(buyAiCredits, [getAiCredits]);

export const useProviderKeys = () => useApiQuery(listProviderKeys);
export const useSaveProviderKey = () => useApiMutation(putProviderKey, [listProviderKeys]);
export const useDeleteProviderKey = () => useApiMutation(deleteProviderKey, [listProviderKeys]);

export type Model = Output<typeof listModels>['data'][number];

/** Reads the models with their prices, cached for five minutes. */
export const useModels = () => useApiQuery(listModels, undefined, { staleTime: 300_000 });

export type AiCall = Output<typeof listAiCalls>['data'][number];
export type ProviderStats = Output<typeof getAiProviderStats>['data']['providers'][number];

/** @param failed `true` for failed calls only, `false` for succeeded ones only */
export const useCalls = (failed: string | undefined) =>
  useApiList(listAiCalls, {}, { pageSize: 50, filter: { failed } });
/** Days that the provider statistics cover. */
export const STATS_DAYS = 7;
export const useProviderStats = () => useApiQuery(getAiProviderStats, { query: { days: String(STATS_DAYS) } });
