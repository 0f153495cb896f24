import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';

/** Returns true if a condition of an event pattern matches a value. `undefined` stands for a missing value. */
function isMatch(condition: Json, value: Json | undefined): boolean {
  if (!isObject(condition)) return value === condition;
  if ('exists' in condition) return (value !== undefined) === condition.exists;
  if ('anything-but' in condition) {
    const excluded = condition['anything-but'] ?? null;
    if (value === undefined) return false;
    if (isObject(excluded)) return !isMatch(excluded, value);
    return !(Array.isArray(excluded) ? excluded : [excluded]).includes(value);
  }
  if (typeof value === 'number' && Array.isArray(condition.numeric)) return inRange(condition.numeric, value);
  if (typeof value !== 'string') return false;
  if ('prefix' in condition) return value.startsWith(String(condition.prefix));
  if ('suffix' in condition) return value.endsWith(String(condition.suffix));
  if ('equals-ignore-case' in condition) {
    return value.toLowerCase() === String(condition['equals-ignore-case']).toLowerCase();
  }
  throw new Error(`The local run does not support the filter ${JSON.stringify(condition)}`);
}

/** Evaluates comparisons such as `['>', 0, '<=', 5]`. */
function inRange(comparisons: Json[], value: number): boolean {
  for (let index = 0; index + 1 < comparisons.length; index += 2) {
    const limit = Number(comparisons[index + 1]);
    const passes = {
      '=': value === limit,
      '>': value > limit,
      '>=': value >= limit,
      '<': value < limit,
      '<=': value <= limit,
    }[String(comparisons[index])];
    if (!passes) return false;
  }
  return true;
}

function matches(pattern: JsonObject, event: Json | undefined): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    if (key === '$or')
      return Array.isArray(expected) && expected.some((each) => isObject(each) && matches(each, event));
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
