/**
 * DynamoDB's representation of the kinds of values that entities have: text, numbers, booleans, null, lists and maps. The conversion
 * is most of the processor time of a table call, and the SDK's general converter takes eight times as long
 * (docs/decisions/0006-lean-aws-client.md).
 */
export type Attribute =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: Attribute[] }
  | { M: Item };
/** An item, or a map inside an item. */
export interface Item {
  [name: string]: Attribute;
}

/** Converts a value to an attribute. Throws for a value that cannot be stored or read back exactly, so that nothing is lost silently. */
function toAttribute(value: unknown): Attribute {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'boolean':
      return { BOOL: value };
    case 'number': {
      const whole = Number.isInteger(value);
      if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value)))
        throw new Error(`${value} is not storable`);
      return { N: String(value) };
    }
    case 'object':
      if (value === null) return { NULL: true };
      if (Array.isArray(value)) return { L: value.map(toAttribute) };
      if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('only plain objects are storable');
      return { M: toItem(value) };
    default:
      throw new Error(`a ${typeof value} is not storable`);
  }
}

/** Converts an object to an item, without undefined values. */
export function toItem(source: object): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(source)) if (value !== undefined) item[name] = toAttribute(value);
  return item;
}

/** Converts an attribute to its value. Throws for a kind of attribute that no entity has. */
export function fromAttribute(attribute: Attribute): unknown {
  if ('S' in attribute) return attribute.S;
  if ('N' in attribute) return Number(attribute.N);
  if ('BOOL' in attribute) return attribute.BOOL;
  if ('L' in attribute) return attribute.L.map(fromAttribute);
  if ('M' in attribute) return fromItem(attribute.M);
  if ('NULL' in attribute) return null;
  throw new Error(`an attribute of a kind that no entity has: ${Object.keys(attribute).join()}`);
}

/** Returns the text of an attribute; an empty string if it is not a text. */
export const textOf = (attribute: Attribute | undefined): string => (attribute && 'S' in attribute ? attribute.S : '');

/** Converts an item to an object. Throws as {@link fromAttribute} does. */
export function fromItem(item: Item): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(item)) {
    const attribute = item[name];
    if (attribute) values[name] = fromAttribute(attribute);
  }
  return values;
}
