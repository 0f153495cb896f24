import type * as z from 'zod/mini';

const UNITS = { string: ' characters', array: ' entries' } as Record<string, string>;

/** Converts an issue of the contract's schema to the message beside its field. */
export function issueMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined || issue.input === '' ? 'Required' : `This must be a ${issue.expected}`;
    case 'invalid_value':
      return `This must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      if (issue.input === '') return 'Required';
      if (issue.minimum === 1 && issue.origin === 'array') return 'Choose at least one';
      return `At least ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'too_big':
      return `At most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    default:
      return issue.message === 'Invalid input' ? 'Invalid value' : `This ${issue.message}`;
  }
}
