import { listModels } from '../../contract/ai.ts';
import {
  buyAiCredits,
  deleteProviderKey,
  getAiCredits,
  listProviderKeys,
  putProviderKey,
} from '../../contract/ai-control.ts';
import type { Output } from '../../contract/route.ts';
import { useAct } from '../api/act.ts';
import { useRead } from '../api/read.ts';

export type Credits = Output<typeof getAiCredits>['data'];
export type Entry = Credits['entries'][number];
export type Provider = Output<typeof listProviderKeys>['data'][number];

/** The newest 100 entries: what the chart is of. */
export const useCredits = () => useRead(getAiCredits, { query: { limit: '100' } });
export const useBuyCredits = () => useAct(buyAiCredits, [getAiCredits]);

export const useProviders = () => useRead(listProviderKeys);
export const usePutProvider = () => useAct(putProviderKey, [listProviderKeys]);
export const useDeleteProvider = () => useAct(deleteProviderKey, [listProviderKeys]);

/** Prices change rarely. */
export const useModels = () => useRead(listModels, undefined, { staleTime: 300_000 });
