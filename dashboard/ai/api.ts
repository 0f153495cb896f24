import { listModels } from '../../contract/ai.ts';
import type { Output } from '../../contract/route.ts';
import { useAct } from '../api/act.ts';
import { useRead } from '../api/read.ts';
import { buyAiCredits, deleteAiProvider, getAiCredits, listAiProviders, putAiProvider } from '../awaiting.ts';

export type Credits = Output<typeof getAiCredits>['data'];
export type Entry = Credits['entries'][number];
export type Provider = Output<typeof listAiProviders>['data'][number];

/** The newest 100 entries: what the chart is of. */
export const useCredits = () => useRead(getAiCredits, { query: { limit: '100' } });
export const useBuyCredits = () => useAct(buyAiCredits, [getAiCredits]);

export const useProviders = () => useRead(listAiProviders);
export const usePutProvider = () => useAct(putAiProvider, [listAiProviders]);
export const useDeleteProvider = () => useAct(deleteAiProvider, [listAiProviders]);

/** Prices change rarely. */
export const useModels = () => useRead(listModels, undefined, { staleTime: 300_000 });
