/**
 * Returns work that began before it is certain to be awaited. A failure is thrown where the work is awaited; where something else
 * failed first, nobody awaits it, and its failure must not end the process as an unhandled rejection.
 */
export function startEarly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
