import type * as z from 'zod/mini';
import { requestIdIn, withRequestId } from '../../table/correlation.ts';
import { log } from '../observability/log.ts';

/** Returns the ids in the input of a step for its log line, and nothing else from the input. */
function idsOf(event: unknown): Record<string, string> {
  if (typeof event !== 'object' || event === null) return {};
  return Object.fromEntries(
    Object.entries(event).filter(
      (field): field is [string, string] => /Id$/.test(field[0]) && typeof field[1] === 'string',
    ),
  );
}

/**
 * Creates the handler of a Lambda function that a workflow, a schedule or an operator invokes. It parses the input, performs one step
 * and returns the output. Errors are logged and rethrown, so that the workflow retries.
 */
export const step =
  <T, R>(schema: z.ZodMiniType<T>, act: (input: T) => Promise<R>) =>
  async (event: unknown): Promise<R> => {
    const started = performance.now();
    return await withRequestId(requestIdIn(event), async () => {
      try {
        const output = await act(schema.parse(event));
        log.info('step done', { ...idsOf(event), milliseconds: Math.round(performance.now() - started) });
        return output;
      } catch (error) {
        log.error('step failed', error, idsOf(event));
        throw error;
      }
    });
  };
