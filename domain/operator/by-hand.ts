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

/** Throws `invalid_request` if an operator's input has a field that its schema does not know: a misspelt one would act on more than is meant. */
export function refuseUnknown([unknown]: readonly string[], parents: readonly string[] = []): void {
  if (unknown === undefined) return;
  throw new ApiError('invalid_request', `${[...parents, unknown].join('.')}: is no field of this operation`);
}

/**
 * Reads the input of a function that an operator invokes by hand. Each takes a `reason`, which the audit log keeps. Throws
 * `invalid_request` for an invalid input, and for a field that it does not have.
 */
export function readByHand<T>(schema: z.ZodMiniType<T>, event: unknown): { input: T; reason?: string } {
  const { reason } = parseOperatorInput(Reasoned, event);
  const unknown = findIgnoredFields(schema, event);
  refuseUnknown(unknown.filter((field) => field !== 'reason'));
  const { reason: _, ...rest } = event as { reason?: unknown };
  const input = parseOperatorInput(schema, unknown.includes('reason') ? rest : event);
  return { input, ...(reason ? { reason } : {}) };
}
