/**
 * Values as DynamoDB writes them down, as far as entities have them: text, numbers, booleans, null, lists and maps. Most of
 * what an exchange with the table costs a function is this, and the SDK's general converter takes eight times as long
 * (docs/decisions/0006-lean-aws-client.md).
 */
export type Attribute =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: Attribute[] }
  | { M: Item };
/** An item, or a map inside of one. */
export interface Item {
  [name: string]: Attribute;
}

/** Throws for what DynamoDB, or a number of ours, cannot hold: a silent loss would be found much later. */
export function toAttribute(value: unknown): Attribute {
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

/** Converts an object to an item. Undefined values are left out. */
export function toItem(of: object): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(of)) if (value !== undefined) item[name] = toAttribute(value);
  return item;
}

export function fromAttribute(attribute: Attribute): unknown {
  if ('S' in attribute) return attribute.S;
  if ('N' in attribute) return Number(attribute.N);
  if ('BOOL' in attribute) return attribute.BOOL;
  if ('L' in attribute) return attribute.L.map(fromAttribute);
  if ('M' in attribute) return fromItem(attribute.M);
  if ('NULL' in attribute) return null;
  throw new Error(`an attribute of a kind that no entity has: ${Object.keys(attribute).join()}`);
}

/** Returns the text of an attribute; an empty one where it has none. */
export const textOf = (attribute: Attribute | undefined): string => (attribute && 'S' in attribute ? attribute.S : '');

export function fromItem(item: Item): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(item)) {
    const attribute = item[name];
    if (attribute) values[name] = fromAttribute(attribute);
  }
  return values;
}
