/** Generates values that match a JSON schema, with words and numbers from the user's message where they fit. */

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const numberAt = (schema: Schema, key: string): number | undefined => {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
};

/** Schemas may be recursive. Optional properties below this depth are omitted, and values below twice this depth are null. */
const MAX_DEPTH = 8;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:30:00Z',
  date: '2026-01-31',
  time: '09:30:00Z',
  email: 'thandi@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '3f2b8f0e-6f6a-4c2e-9d3c-0a8e5b7c1d2f',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
};

/** Returns the subject of a message: the quoted text, else the last capitalized name (`Paris`), else the whole text. */
function subjectOf(text: string): string {
  const quoted = /["“'‘]([^"”'’]+)["”'’]/.exec(text)?.[1];
  const names = text.slice(1).match(/\b\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*/gu);
  return quoted ?? names?.at(-1) ?? text;
}

function textFor(schema: Schema, text: string): string {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format !== undefined) return format;
  const max = numberAt(schema, 'maxLength') ?? 80;
  return subjectOf(text)
    .slice(0, max)
    .padEnd(numberAt(schema, 'minLength') ?? 0, '.');
}

function numberFor(schema: Schema, text: string, isInteger: boolean): number {
  const step = numberAt(schema, 'multipleOf') ?? (isInteger ? 1 : 0);
  const above = numberAt(schema, 'exclusiveMinimum');
  const below = numberAt(schema, 'exclusiveMaximum');
  const min = numberAt(schema, 'minimum') ?? (above === undefined ? Number.NEGATIVE_INFINITY : above + (step || 0.5));
  const max = numberAt(schema, 'maximum') ?? (below === undefined ? Number.POSITIVE_INFINITY : below - (step || 0.5));
  const preferred = Number(/-?\d+(\.\d+)?/.exec(text)?.[0] ?? 1);
  const bounded = Math.min(max, Math.max(min, preferred));
  if (step === 0) return bounded;
  const rounded = Math.round(bounded / step) * step;
  return rounded > max ? rounded - step : rounded < min ? rounded + step : rounded;
}

interface Context {
  root: Schema;
  text: string;
}

function resolve(root: Schema, reference: string): unknown {
  const names = reference.split('/').slice(1);
  return names.reduce<unknown>((at, name) => (isSchema(at) ? at[name] : undefined), root);
}

function objectFor(schema: Schema, context: Context, depth: number): Schema {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const included = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || required.includes(name));
  return Object.fromEntries(included.map(([name, property]) => [name, valueFor(property, context, depth + 1)]));
}

function arrayFor(schema: Schema, context: Context, depth: number): unknown[] {
  const minItems = numberAt(schema, 'minItems') ?? (depth < MAX_DEPTH ? 1 : 0);
  const count = Math.min(minItems, numberAt(schema, 'maxItems') ?? minItems);
  return Array.from({ length: count }, () => valueFor(schema.items ?? {}, context, depth + 1));
}

function valueFor(schema: unknown, context: Context, depth: number): unknown {
  if (!isSchema(schema) || depth > 2 * MAX_DEPTH) return null;
  if (typeof schema.$ref === 'string') return valueFor(resolve(context.root, schema.$ref), context, depth + 1);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) {
    const mentioned = schema.enum.find((value) => typeof value === 'string' && context.text.includes(value));
    return mentioned ?? schema.enum[0];
  }
  for (const options of [schema.anyOf, schema.oneOf]) {
    // The last option ends the recursion of a schema such as `anyOf: [{$ref}, {type: null}]`.
    if (Array.isArray(options)) return valueFor(depth < MAX_DEPTH ? options[0] : options.at(-1), context, depth + 1);
  }
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map((part) => valueFor(part, context, depth + 1));
    return parts.every(isSchema) ? Object.assign({}, ...parts) : parts[0];
  }
  return typedValue(schema, context, depth);
}

/** Functions that generate a value, by the schema's type. */
const BY_TYPE: Readonly<Record<string, (schema: Schema, context: Context, depth: number) => unknown>> = {
  string: (schema, { text }) => textFor(schema, text),
  number: (schema, { text }) => numberFor(schema, text, false),
  integer: (schema, { text }) => numberFor(schema, text, true),
  boolean: () => true,
  array: arrayFor,
  object: objectFor,
  null: () => null,
};

function typedValue(schema: Schema, context: Context, depth: number): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const generate = typeof type === 'string' && Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
  if (generate) return generate(schema, context, depth);
  return schema.properties ? objectFor(schema, context, depth) : subjectOf(context.text);
}

/** Returns a value that matches a schema. It ignores `pattern`, and options that exclude each other. */
export const generateValue = (schema: unknown, text: string): unknown =>
  valueFor(schema, { root: isSchema(schema) ? schema : {}, text }, 0);
