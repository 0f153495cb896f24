import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';

/** Returns true if a condition of an event pattern matches a value. `undefined` stands for a missing value. */
function isMatch(condition: Json, value: Json | undefined): boolean {
  if (!isObject(condition)) return value === condition;
  if ('exists' in condition) return (value !== undefined) === condition.exists;
  throw new Error(`The local run does not support the filter ${JSON.stringify(condition)}`);
}

function matches(pattern: JsonObject, event: Json | undefined): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    const value = isObject(event) ? event[key] : undefined;
    if (isObject(expected)) return matches(expected, value);
    const values = Array.isArray(value) ? value : [value];
    return Array.isArray(expected) && expected.some((condition) => values.some((each) => isMatch(condition, each)));
  });
}

/** Returns a predicate for an event source mapping's FilterCriteria. It is true if the function wants a record. */
export function createFilter(criteria: Json | undefined): (record: Json) => boolean {
  const filters = isObject(criteria) && Array.isArray(criteria.Filters) ? criteria.Filters : [];
  const patterns = filters.map((filter): JsonObject => JSON.parse(isObject(filter) ? String(filter.Pattern) : '{}'));
  return (record) => patterns.length === 0 || patterns.some((pattern) => matches(pattern, record));
}
