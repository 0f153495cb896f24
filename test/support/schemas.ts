import type * as z from 'zod/mini';

/** The parts of a zod schema that tests walk. */
export interface Schema {
  /** Of a schema made by `oneOf` or `partialRecord` (table/entity.ts): the values, or keys, that this version knows. */
  values?: readonly string[];
  safeParse(value: unknown): { success: boolean };
  def: {
    type: string;
    shape?: Record<string, Schema>;
    element?: Schema;
    valueType?: Schema;
    innerType?: Schema;
    in?: Schema;
    out?: Schema;
    options?: readonly Schema[];
    entries?: Record<string, unknown>;
    values?: readonly unknown[];
    catchall?: Schema;
    checks?: readonly { _zod: { def: { check: string } } }[];
  };
}

export const walkable = (schema: z.ZodMiniType): Schema => schema as unknown as Schema;

/** Returns the paths of the fields of a value that its schema does not list. Of a union the option counts that fits best. */
export function unlistedFields(schema: Schema, value: unknown, path = ''): string[] {
  const { shape, element, valueType, innerType, out, options } = schema.def;
  if (innerType) return unlistedFields(innerType, value, path);
  if (out) return unlistedFields(out, value, path);
  if (options) {
    const fitting = options.filter((option) => option.safeParse(value).success);
    const each = (fitting.length > 0 ? fitting : options).map((option) => unlistedFields(option, value, path));
    return each.sort((a, b) => a.length - b.length)[0] ?? [];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return element ? value.flatMap((each, index) => unlistedFields(element, each, `${path}[${index}]`)) : [];
  }
  return Object.entries(value).flatMap(([name, inside]) => {
    const at = path ? `${path}.${name}` : name;
    if (inside === undefined) return [];
    if (valueType) return unlistedFields(valueType, inside, at);
    if (!shape) return [];
    const field = shape[name];
    return field ? unlistedFields(field, inside, at) : [at];
  });
}

/** The text in every field of a populated value: a time, so that code that expects one can read it. */
export const TEXT = '2026-01-31T09:30:00.000Z';

const first = ([value = '']: readonly string[]) => value;

/**
 * Returns an input of a schema with every optional field set, and with a field that the schema does not list in each object:
 * it stands for the next internal field.
 * @param pick chooses the value of each field that has a set of values
 */
export function populate(schema: Schema, pick: (values: readonly string[]) => string = first): unknown {
  const { type, shape = {}, element, valueType, innerType, options = [], entries = {}, values = [] } = schema.def;
  const input = schema.def.in;
  switch (type) {
    case 'object':
      return {
        ...Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, populate(field, pick)])),
        internal: 1,
      };
    case 'optional':
    case 'nullable':
    case 'default':
      return innerType && populate(innerType, pick);
    case 'pipe':
      return input && populate(input, pick);
    case 'array':
      return element ? [populate(element, pick)] : [];
    case 'record':
      return valueType ? { [schema.values ? pick(schema.values) : 'name']: populate(valueType, pick) } : {};
    case 'union':
      return options[0] && populate(options[0], pick);
    case 'enum':
      return pick(Object.values(entries) as string[]);
    case 'literal':
      return values[0];
    case 'number':
    case 'int':
      return 1;
    case 'boolean':
      return true;
    case 'string':
      return schema.values ? pick(schema.values) : TEXT;
    case 'custom':
    case 'unknown':
      return TEXT;
    default:
      throw new Error(`no value for a schema of type ${type}`);
  }
}
