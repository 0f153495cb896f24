import type * as z from 'zod/mini';

/** Words for the issues of schemas, which the API's messages and the dashboard's forms have in common. */

/** The types that have another name in schemas than callers know. */
const TYPES: Readonly<Record<string, string>> = { int: 'whole number', record: 'object' };

/** Returns a type with its article: `a string`, `an object`. */
export function describeType(expected: string): string {
  const name = TYPES[expected] ?? expected;
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/** Returns a length or a number: `1 character`, `2 entries`, `3`. @param origin the type of what is measured */
export function describeSize(size: number | bigint, origin: string): string {
  const [one, many] = UNITS[origin] ?? [];
  return one === undefined ? `${size}` : `${size} ${Number(size) === 1 ? one : many}`;
}

/** Returns the values that there are: `one of A, B`, or the only one. */
export const describeValues = (values: readonly unknown[]): string =>
  `${values.length === 1 ? '' : 'one of '}${values.join(', ')}`;

/** Numbers are so large, everything else has so many parts. */
const verbFor = (origin: string) => (origin === 'number' || origin === 'int' ? 'be' : 'have');

/** True for a message of Zod's own, in the bundles and where Zod has its words for people. */
const isZods = (message: string): boolean => message.startsWith('Invalid input');

/** Returns the predicate of the API's sentence about an issue: `must be a string`. Zod's own messages are left out of the bundles. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return isZods(issue.message) ? `must be ${describeType(issue.expected)}` : issue.message;
    case 'invalid_value':
      return `must be ${describeValues(issue.values)}`;
    case 'too_small':
      return `must ${verbFor(issue.origin)} at least ${describeSize(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `must ${verbFor(issue.origin)} at most ${describeSize(issue.maximum, issue.origin)}`;
    default:
      return isZods(issue.message) ? 'is invalid' : issue.message;
  }
}
