import type * as z from 'zod/mini';

const unit = { string: ' characters', array: ' entries' } as Record<string, string>;

/** What is wrong with a field, as a sentence beside it. The contract says what; these are the words. */
export function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined || issue.input === '' ? 'This is needed' : `This must be a ${issue.expected}`;
    case 'invalid_value':
      return `This must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      if (issue.input === '') return 'This is needed';
      if (issue.minimum === 1 && issue.origin === 'array') return 'Choose at least one';
      return `At least ${issue.minimum}${unit[issue.origin] ?? ''}`;
    case 'too_big':
      return `At most ${issue.maximum}${unit[issue.origin] ?? ''}`;
    default:
      return issue.message === 'Invalid input' ? 'This is not valid' : `This ${issue.message}`;
  }
}
