import type { Deps } from '../deps.ts';

/**
 * Runs a domain function that an operator's operation shares with other callers, and converts its result to the operation's response.
 * The commit stores the response, so that a repeated request with the same Idempotency-Key gets it again.
 *
 * @param run calls the domain function, which commits the value that it returns
 * @param toResponse converts that value
 */
export async function respondWith<D extends Deps, T, R>(
  deps: D,
  run: (deps: D) => Promise<T>,
  toResponse: (result: T) => R,
): Promise<R> {
  const commit: Deps['commit'] = async (writes, output, change) => {
    await deps.commit(writes, toResponse(output as unknown as T), change);
    return output;
  };
  return toResponse(await run({ ...deps, commit }));
}
