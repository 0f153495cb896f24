/** Applies `act` to all items, in chunks of `size` concurrent calls, and returns the results in the order of the items. */
export async function inChunks<T, R>(items: readonly T[], size: number, act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += size) {
    const chunk = items.slice(from, from + size);
    results.push(...(await Promise.all(chunk.map((item) => act(item)))));
  }
  return results;
}
