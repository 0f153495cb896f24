import { useSearchParams } from 'wouter';

/** Returns the range that the URL names (`?range=`), or `usual` where it names none of them. */
export function useRange<R extends string>(ranges: readonly { range: R }[], usual: R): R {
  const [search] = useSearchParams();
  const chosen = search.get('range');
  return ranges.find(({ range }) => range === chosen)?.range ?? usual;
}
