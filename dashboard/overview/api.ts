import { getOverview } from '../../contract/accounts/overview.ts';
import type { Output } from '../../contract/route.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type OverviewData = Output<typeof getOverview>['data'];

export const useOverview = () => useApiQuery(getOverview);
