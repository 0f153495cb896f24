import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { recoveryInterval } from './query-client.ts';

/** Lines per request. */
export const LOG_PAGE_SIZE = '1000';

/** Milliseconds between two polls of a growing log: `min` while lines arrive, up to `max` while none do. */
export interface PollIntervals {
  min: number;
  max: number;
}

/** Returns the poll interval. It doubles with each consecutive poll without a new line, so that a quiet log is cheap. */
export const pollInterval = ({ min, max }: PollIntervals, idlePolls: number): number =>
  Math.min(max, min * 2 ** Math.min(idlePolls, 10));

/** Lines kept in memory; older ones are dropped. */
const MAX_LINES = 100_000;

interface Page<L> {
  data: L[];
  has_more: boolean;
}

/** Pause after an empty page that is not the last one: the API skipped lines that the platform itself printed. */
const EMPTY_PAGE_PAUSE_MS = 1000;

/**
 * Reads a log from its last known line to its end.
 *
 * @param signal stops the read once the log is no longer shown
 * @returns the known lines and the new ones
 */
export async function readToEnd<L>(
  known: readonly L[],
  readAfter: (last: L | undefined) => Promise<Page<L>>,
  signal: AbortSignal,
  pause = () => new Promise<void>((done) => setTimeout(done, EMPTY_PAGE_PAUSE_MS)),
): Promise<L[]> {
  const lines = [...known];
  for (;;) {
    const { data, has_more } = await readAfter(lines.at(-1));
    lines.push(...data);
    if (!has_more) return lines;
    if (data.length === 0) await pause();
    signal.throwIfAborted();
  }
}

/** Reads a log incrementally: each poll asks only for the lines after the last known one. */
export function useLogLines<L>(
  name: readonly unknown[],
  { live, paused, poll }: { live: boolean; paused: boolean; poll: PollIntervals },
  readAfter: (last: L | undefined) => Promise<Page<L>>,
): UseQueryResult<readonly L[]> {
  const client = useQueryClient();
  const queryKey = [...name, live];
  const idlePolls = useRef(0);
  return useQuery<readonly L[]>({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<readonly L[]>(queryKey) ?? [];
      const lines = await readToEnd(known, readAfter, signal);
      idlePolls.current = lines.length > known.length ? 0 : idlePolls.current + 1;
      return lines.slice(-MAX_LINES);
    },
    // A paused log continues from its last line. A finished one has no button to resume it, and is read to its end.
    enabled: !(paused && live),
    // The lines of the live log stay visible until the finished log is read.
    placeholderData: (before) => before,
    refetchInterval: (query) => recoveryInterval(query) || (live ? pollInterval(poll, idlePolls.current) : false),
  });
}
