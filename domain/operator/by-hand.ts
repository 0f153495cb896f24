import * as z from 'zod/mini';
import { findIgnoredFields } from '../../contract/reference/ignored-fields.ts';

const Reasoned = z.object({ reason: z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(300)))) });

/**
 * Reads the input of a function that an operator invokes by hand. Each takes a `reason`, which the audit log keeps. Throws for a
 * field that the input does not have: a misspelt one would act on more than is meant.
 */
export function readByHand<T>(schema: z.ZodMiniType<T>, event: unknown): { input: T; reason?: string } {
  const { reason } = Reasoned.parse(event);
  const unknown = findIgnoredFields(schema, event);
  const others = unknown.filter((field) => field !== 'reason');
  if (others.length > 0) throw new Error(`The input has no field ${others.join(', ')}.`);
  const { reason: _, ...rest } = event as { reason?: unknown };
  const input = schema.parse(unknown.includes('reason') ? rest : event);
  return { input, ...(reason ? { reason } : {}) };
}
