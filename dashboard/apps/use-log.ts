import { useQuery, useQueryClient } from '@tanstack/react-query';
import { readDeploymentLog } from '../../contract/deployments.ts';
import type { Output } from '../../contract/route.ts';
import { useApi } from '../api/context.ts';
import { recovery } from '../api/queries.ts';

type Line = Output<typeof readDeploymentLog>['data'][number];

/** Lines that are asked for at once, and how often there are new ones while a build runs, in milliseconds. */
const AT_ONCE = '1000';
const PAUSE = 1000;

/** A deployment's log, line by line: each is read once, the new ones as they come. */
export function useLog(id: string, live: boolean) {
  const api = useApi();
  const client = useQueryClient();
  const queryKey = [readDeploymentLog.id, id, live];
  return useQuery<readonly Line[]>({
    queryKey,
    queryFn: async () => {
      const lines = [...(client.getQueryData<readonly Line[]>(queryKey) ?? [])];
      for (let more = true; more; ) {
        const query = { after: String(lines.at(-1)?.n ?? 0), limit: AT_ONCE };
        const { data, has_more } = await api.call(readDeploymentLog, { params: { id }, query });
        lines.push(...data);
        more = has_more && data.length > 0;
      }
      return lines;
    },
    // What was read while it ran stands until all of it has been read.
    placeholderData: (before) => before,
    refetchInterval: (query) => recovery(query) || (live ? PAUSE : false),
  });
}
