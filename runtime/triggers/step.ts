import type * as z from 'zod/mini';
import { log } from '../observability/log.ts';

/**
 * Creates the handler of a Lambda that a workflow, a schedule or an operator invokes: parses its input, performs one
 * step and returns its output. Errors are logged and rethrown, because the workflow retries.
 */
export const step =
  <T, R>(schema: z.ZodMiniType<T>, act: (input: T) => Promise<R>) =>
  async (event: unknown): Promise<R> => {
    const started = performance.now();
    const input = schema.parse(event);
    try {
      const output = await act(input);
      log.info('step done', { milliseconds: Math.round(performance.now() - started) });
      return output;
    } catch (error) {
      log.error('step failed', error);
      throw error;
    }
  };
