/** How old what a warm instance knows may be, in milliseconds: so long does a change by an operator take to be everywhere. */
const FRESH = 30_000;

/** What `read` gives: read once, and then again when it is no longer fresh, behind the request that noticed. */
export function keptFresh<T>(now: () => Date, read: () => Promise<T>): () => Promise<T> {
  let known: { value: T; readAt: number } | undefined;
  let reading: Promise<T> | undefined;
  const readOnce = (): Promise<T> => {
    reading ??= read()
      .then((value) => {
        known = { value, readAt: now().getTime() };
        return value;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  return async () => {
    if (!known) return await readOnce();
    if (now().getTime() - known.readAt > FRESH) readOnce().catch(() => undefined);
    return known.value;
  };
}
