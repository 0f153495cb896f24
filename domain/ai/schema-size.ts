import type { ChatRequest } from '../../contract/ai/chat.ts';

/**
 * Sizes of JSON schemas with their references replaced by what they refer to: a provider may read a schema so, and a few
 * references to references make a kilobyte a billion.
 */

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
const each = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The part of a schema that a reference within it names (`#/$defs/a`); undefined for any other reference. */
function resolveReference(root: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  const names = reference.split('/').slice(1);
  return names.reduce((at, name) => member(at, name.replaceAll('~1', '/').replaceAll('~0', '~')), root);
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/**
 * Returns the bytes that the references of a schema add to it; Infinity for one that refers to itself, or to what is not in
 * it.
 */
export function measureReferences(schema: unknown): number {
  const sizes = new Map<unknown, number>();
  let hasReference = false;
  const sizeOf = (value: unknown): number => {
    if (!isObject(value)) return Buffer.byteLength(String(value)) + 2;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    // Until it is measured: a reference back to it is a circle.
    sizes.set(value, Number.POSITIVE_INFINITY);
    let size = 2;
    for (const [key, entry] of Object.entries(value)) {
      size += Buffer.byteLength(key) + 4 + sizeOf(entry);
      // A property of this name is described by a schema; a reference is a text.
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

/** Returns the bytes that a request's schemas may have beyond those of its body. */
export function measureSchemas(request: ChatRequest): number {
  const schemas = [
    ...each(request.tools).map((tool) => member(member(tool, 'function'), 'parameters')),
    ...each(request.functions).map((described) => member(described, 'parameters')),
    member(member(request.response_format, 'json_schema'), 'schema'),
  ];
  return schemas.reduce((sum: number, schema) => sum + (isObject(schema) ? measureReferences(schema) : 0), 0);
}
