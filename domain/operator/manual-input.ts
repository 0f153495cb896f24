import * as z from 'zod/mini';
import { invalidField } from '../../contract/errors.ts';
import { describeIssue } from '../../contract/issues.ts';
import { findIgnoredFields } from '../../contract/reference/ignored-fields.ts';

const WithReason = z.object({ reason: z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(300)))) });

/**
 * Parses an operator's input. Throws `invalid_request` with the first problem, in the API's wording.
 *
 * @param parents the path of the input in the request's body; empty for the body itself
 */
export function parseOperatorInput<T>(schema: z.ZodMiniType<T>, input: unknown, parents: readonly string[] = []): T {
  const { data, error } = schema.safeParse(input, { reportInput: true });
  const [problem] = error?.issues ?? [];
  if (!problem) return data as T;
  throw invalidField([...parents, ...problem.path].join('.') || 'input', describeIssue(problem));
}

/** Throws `invalid_request` for an unknown field: if a misspelled field were ignored, the operation could affect more than intended. */
export function refuseUnknownFields([field]: readonly string[], parents: readonly string[] = []): void {
  if (field === undefined) return;
  throw invalidField([...parents, field].join('.'), 'is not a field of this operation');
}

/**
 * Parses the input of a function that an operator invokes manually. Every such function accepts a `reason`, which the audit log
 * records. Throws `invalid_request` for an invalid input and for an unknown field.
 */
export function parseManualInput<T>(schema: z.ZodMiniType<T>, event: unknown): { input: T; reason?: string } {
  const { reason } = parseOperatorInput(WithReason, event);
  const unknown = findIgnoredFields(schema, event);
  refuseUnknownFields(unknown.filter((field) => field !== 'reason'));
  const { reason: _, ...rest } = event as { reason?: unknown };
  const input = parseOperatorInput(schema, unknown.includes('reason') ? rest : event);
  return { input, ...(reason ? { reason } : {}) };
}
