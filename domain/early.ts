/**
 * Returns work that began before it is certain to be awaited. Its failure is thrown where it is awaited; where something else fails
 * first, it is never awaited, and its failure must not end the process as an unhandled rejection.
 */
export function startEarly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
