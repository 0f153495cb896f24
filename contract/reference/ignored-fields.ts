import type * as z from 'zod/mini';
import { entryOf } from '../enums.ts';
import { isObject } from '../json.ts';

/** The response header that names the fields of a body that had no effect. */
export const IGNORED_HEADER = 'X-Ignored-Parameters';

/** Returns the paths of a value's fields that a schema does not define, such as `registrant.fax` or `vars.0.note`. */
export function findIgnoredFields(schema: z.core.$ZodType, value: unknown, path = ''): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return findInObject(def, value, path);
    case 'array':
      if (!Array.isArray(value)) return [];
      return value.flatMap((entry, index) => findIgnoredFields(def.element, entry, join(path, String(index))));
    case 'optional':
    case 'nullable':
    case 'default':
      return findIgnoredFields(def.innerType, value, path);
    case 'pipe':
      return findIgnoredFields(def.in, value, path);
    case 'union': {
      // The option that defines most fields of the value counts.
      const byOption = def.options.map((option) => findIgnoredFields(option, value, path));
      return byOption.sort((a, b) => a.length - b.length)[0] ?? [];
    }
    default:
      return [];
  }
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function findInObject({ shape, catchall }: z.core.$ZodObjectDef, value: unknown, path: string): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, property]) => {
    const field = entryOf(shape, name);
    if (field) return findIgnoredFields(field, property, join(path, name));
    const isKept = catchall && catchall._zod.def.type !== 'never';
    return isKept ? [] : [join(path, name)];
  });
}

const MAX_NAMES = 50;
const MAX_NAME_LENGTH = 64;

/** Returns the header that names these fields, or no header without any. Unsafe characters in a caller's field names become `?`. */
export function toIgnoredHeader(fields: readonly string[]): Record<string, string> {
  if (fields.length === 0) return {};
  const names = fields.slice(0, MAX_NAMES).map((field) => field.replace(/[^\w.$-]/g, '?').slice(0, MAX_NAME_LENGTH));
  return { [IGNORED_HEADER.toLowerCase()]: names.join(', ') };
}
