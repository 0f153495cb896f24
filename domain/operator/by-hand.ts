import * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { describeIssue } from '../../contract/issues.ts';
import { findIgnoredFields } from '../../contract/reference/ignored-fields.ts';

const Reasoned = z.object({ reason: z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(300)))) });

/**
 * Parses an operator's input. Throws `invalid_request` with the first problem, in the words of the API.
 *
 * @param parents the path of the input in the request's body; none for the body itself
 */
export function parseOperatorInput<T>(schema: z.ZodMiniType<T>, input: unknown, parents: readonly string[] = []): T {
  const { data, error } = schema.safeParse(input, { reportInput: true });
  const [problem] = error?.issues ?? [];
  if (!problem) return data as T;
  throw new ApiError(
    'invalid_request',
    `${[...parents, ...problem.path].join('.') || 'input'}: ${describeIssue(problem)}`,
  );
}

/**
 * Reads the input of a function that an operator invokes by hand. Each takes a `reason`, which the audit log keeps. Throws for a
 * field that the input does not have: a misspelt one would act on more than is meant.
 */
export function readByHand<T>(schema: z.ZodMiniType<T>, event: unknown): { input: T; reason?: string } {
  const { reason } = parseOperatorInput(Reasoned, event);
  const unknown = findIgnoredFields(schema, event);
  const others = unknown.filter((field) => field !== 'reason');
  if (others.length > 0) throw new Error(`The input has no field ${others.join(', ')}.`);
  const { reason: _, ...rest } = event as { reason?: unknown };
  const input = parseOperatorInput(schema, unknown.includes('reason') ? rest : event);
  return { input, ...(reason ? { reason } : {}) };
}
