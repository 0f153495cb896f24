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
