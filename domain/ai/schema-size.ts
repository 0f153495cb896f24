import type { ChatRequest } from '../../contract/ai/chat.ts';

/**
 * Sizes of JSON schemas with all references expanded. A provider may count an expanded schema, and a few nested references can
 * expand a kilobyte to a billion.
 */

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
const toArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns the part of a schema that an internal reference names (`#/$defs/a`); undefined for any other reference. */
function resolveReference(root: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  const names = reference.split('/').slice(1);
  return names.reduce((at, name) => member(at, name.replaceAll('~1', '/').replaceAll('~0', '~')), root);
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/**
 * Returns the size of a schema in bytes with its references expanded; 0 if it has no references, Infinity if a reference is
 * circular or cannot be resolved within the schema.
 */
export function measureReferences(schema: unknown): number {
  const sizes = new Map<unknown, number>();
  let hasReference = false;
  const sizeOf = (value: unknown): number => {
    if (!isObject(value)) return Buffer.byteLength(String(value)) + 2;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    // Until the size is known, a reference back to this value is circular.
    sizes.set(value, Number.POSITIVE_INFINITY);
    let size = 2;
    for (const [key, entry] of Object.entries(value)) {
      size += Buffer.byteLength(key) + 4 + sizeOf(entry);
      // An object here is the schema of a property that has this name; a reference is a string.
      if (!REFERENCES.includes(key) || isObject(entry)) continue;
      hasReference = true;
      const target = resolveReference(schema, entry);
      size += isObject(target) ? sizeOf(target) : Number.POSITIVE_INFINITY;
    }
    sizes.set(value, size);
    return size;
  };
  const size = sizeOf(schema);
  return hasReference ? size : 0;
}

/** Returns the bytes that expanded references may add to a request's body. */
export function measureSchemas(request: ChatRequest): number {
  const schemas = [
    ...toArray(request.tools).map((tool) => member(member(tool, 'function'), 'parameters')),
    ...toArray(request.functions).map((definition) => member(definition, 'parameters')),
    member(member(request.response_format, 'json_schema'), 'schema'),
  ];
  return schemas.reduce((sum: number, schema) => sum + (isObject(schema) ? measureReferences(schema) : 0), 0);
}
