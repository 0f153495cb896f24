import { useSearchParams } from 'wouter';

/** Returns the range that the URL names (`?range=`), or `day` if it names none of the ranges. */
export function useRange<R extends string>(ranges: readonly { range: R | 'day' }[]): R | 'day' {
  const [search] = useSearchParams();
  const chosen = search.get('range');
  return ranges.find(({ range }) => range === chosen)?.range ?? 'day';
}
