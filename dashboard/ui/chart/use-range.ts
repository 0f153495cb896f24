import { useSearchParams } from 'wouter';

/** Returns the range that the URL names (`?range=`), or a day where it names none of them. */
export function useRange<R extends string>(ranges: readonly { range: R | 'day' }[]): R | 'day' {
  const [search] = useSearchParams();
  const chosen = search.get('range');
  return ranges.find(({ range }) => range === chosen)?.range ?? 'day';
}
