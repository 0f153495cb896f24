import type { Deps } from '../deps.ts';

/**
 * Runs a rule that operators share with customers or functions, and answers as the operator's operation does. That answer is what
 * the commit stores, so that a repeat with the same Idempotency-Key gets it again.
 *
 * @param rule commits what it returns, as every rule of a request does
 */
export async function answering<D extends Deps, T, A>(
  deps: D,
  rule: (deps: D) => Promise<T>,
  answer: (result: T) => A,
): Promise<A> {
  const commit: Deps['commit'] = async (writes, output, change) => {
    await deps.commit(writes, answer(output as unknown as T), change);
    return output;
  };
  return answer(await rule({ ...deps, commit }));
}
