import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { readAppLogs } from '../../contract/apps/logs.ts';
import { readDeploymentLog } from '../../contract/deployments/deployments.ts';
import type { Output } from '../../contract/route.ts';
import { useApi } from '../api/context.ts';
import { recovery } from '../api/queries.ts';

/** Lines that are asked for at once, and how often there are new ones, in milliseconds. */
const AT_ONCE = '1000';
const PAUSE = 1000;
/** The newest lines that are kept: a page is no archive. */
const KEPT = 100_000;

interface Page<L> {
  data: L[];
  has_more: boolean;
}

/** Lines that are read once each, and the new ones as they come. */
function useGrowing<L>(
  name: readonly unknown[],
  { live, paused }: { live: boolean; paused: boolean },
  readAfter: (last: L | undefined) => Promise<Page<L>>,
): UseQueryResult<readonly L[]> {
  const client = useQueryClient();
  const queryKey = [...name, live];
  return useQuery<readonly L[]>({
    queryKey,
    queryFn: async () => {
      const lines = [...(client.getQueryData<readonly L[]>(queryKey) ?? [])];
      for (let more = true; more; ) {
        const { data, has_more } = await readAfter(lines.at(-1));
        lines.push(...data);
        more = has_more && data.length > 0;
      }
      return lines.slice(-KEPT);
    },
    // What is held still is read on from where it stands.
    enabled: !paused,
    // What was read while it grew stands until all of it has been read.
    placeholderData: (before) => before,
    refetchInterval: (query) => recovery(query) || (live ? PAUSE : false),
  });
}

/** A deployment's log, line by line, followed while it is under way. */
export function useBuildLog(id: string, live: boolean, paused: boolean) {
  const api = useApi();
  return useGrowing<Output<typeof readDeploymentLog>['data'][number]>(
    [readDeploymentLog.id, id],
    { live, paused },
    (last) => api.call(readDeploymentLog, { params: { id }, query: { after: String(last?.n ?? 0), limit: AT_ONCE } }),
  );
}

/** What an application prints while it runs. */
export function useAppLog(id: string, paused: boolean) {
  const api = useApi();
  return useGrowing<Output<typeof readAppLogs>['data'][number]>([readAppLogs.id, id], { live: true, paused }, (last) =>
    api.call(readAppLogs, { params: { id }, query: { ...(last ? { after: last.id } : {}), limit: AT_ONCE } }),
  );
}
