/**
 * Marks a promise that the caller may never await, because something else may fail first. Its rejection then must not end the
 * process as an unhandled rejection. A caller that does await it still gets the rejection.
 */
export function startEarly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
