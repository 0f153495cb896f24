import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { recoveryInterval } from './query-client.ts';

/** Lines per request, and the poll interval of a growing log. */
export const LOG_PAGE_SIZE = '1000';
const POLL_MS = 1000;
/** Lines kept in memory; older ones are dropped. */
const MAX_LINES = 100_000;

interface Page<L> {
  data: L[];
  has_more: boolean;
}

/** Reads a log incrementally: each poll asks only for the lines after the last known one. */
export function useLogLines<L>(
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
      return lines.slice(-MAX_LINES);
    },
    // A paused log continues from its last line.
    enabled: !paused,
    // The lines of the live log stay visible until the finished log is read.
    placeholderData: (before) => before,
    refetchInterval: (query) => recoveryInterval(query) || (live ? POLL_MS : false),
  });
}
