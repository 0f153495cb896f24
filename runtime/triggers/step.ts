import type * as z from 'zod/mini';
import { log } from '../observability/log.ts';

/**
 * One Lambda of a workflow (or of a schedule, or an operator's tool): parses its input, does one thing, and gives
 * back what is to travel on. What is thrown is logged and thrown on: retrying is the workflow's business.
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
