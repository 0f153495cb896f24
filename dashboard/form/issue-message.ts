import type * as z from 'zod/mini';
import { describeSize, describeType, describeValues } from '../../contract/issues.ts';

/** Converts an issue of the contract's schema to the message next to its field. */
export function issueMessage(issue: z.core.$ZodIssue): string {
  // The field is empty, or the browser reports an incomplete time as empty. A message about the format would mislead.
  if (issue.input === '') return 'Required';
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'Required' : `This must be ${describeType(issue.expected)}`;
    case 'invalid_value':
      return `This must be ${describeValues(issue.values)}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin === 'array') return 'Choose at least one';
      return `At least ${describeSize(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `At most ${describeSize(issue.maximum, issue.origin)}`;
    default:
      return issue.message === 'Invalid input' ? 'Invalid value' : `This ${issue.message}`;
  }
}
