/** Returns true for a JSON object; false for an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a property of a value; undefined if the value is not an object or lacks the property. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Parses JSON. Returns invalid JSON unchanged: the next schema refuses it. */
export const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
};
