import type * as z from 'zod/mini';

/** Wording of schema issues, shared by the API's messages and the dashboard's forms. */

/** Types that schemas and callers name differently. */
const TYPES: Readonly<Record<string, string>> = { int: 'whole number', record: 'object' };

/** Returns a type with its article: `a string`, `an object`. */
export function describeType(expected: string): string {
  const name = TYPES[expected] ?? expected;
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}

const UNITS: Readonly<Record<string, readonly [singular: string, plural: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/** Returns a size with its unit: `1 character`, `2 entries`, or `3` for a number. @param origin the type of the measured value */
export function describeSize(size: number | bigint, origin: string): string {
  const [singular, plural] = UNITS[origin] ?? [];
  return singular === undefined ? `${size}` : `${size} ${Number(size) === 1 ? singular : plural}`;
}

/** Returns the allowed values: `one of A, B`, or the only value. */
export const describeValues = (values: readonly unknown[]): string =>
  `${values.length === 1 ? '' : 'one of '}${values.join(', ')}`;

/** A number must *be* at most 5; a text must *have* at most 5 characters. */
const verbFor = (origin: string) => (origin === 'number' || origin === 'int' ? 'be' : 'have');

/** Returns true for a default message of Zod, with or without its locale. */
const isZodDefault = (message: string): boolean => message.startsWith('Invalid input');

/** Returns the predicate of the message about an issue, such as `must be a string`. The bundles leave Zod's own messages out. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return isZodDefault(issue.message) ? `must be ${describeType(issue.expected)}` : issue.message;
    case 'invalid_value':
      return `must be ${describeValues(issue.values)}`;
    case 'too_small':
      return `must ${verbFor(issue.origin)} at least ${describeSize(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `must ${verbFor(issue.origin)} at most ${describeSize(issue.maximum, issue.origin)}`;
    default:
      return isZodDefault(issue.message) ? 'is invalid' : issue.message;
  }
}
