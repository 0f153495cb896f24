/**
 * `npm run client:generate`: writes `client/operations.generated.ts` with the operations of the platform's API and their types, from the
 * contract's OpenAPI document, so that the client library has no dependencies. A test fails if the file is out of date.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildOpenApi, documentPath, operationsOf } from '../contract/reference/openapi.ts';
import type { Route } from '../contract/route.ts';
import { EVENTS } from '../contract/webhooks/events.ts';

const FILE = resolve(import.meta.dirname, '../client/operations.generated.ts');

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

interface Operation {
  parameters: { name?: string; in?: string; required?: boolean; schema?: Schema; description?: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const document = buildOpenApi('', '') as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const { schemas } = document.components;

const pascal = (name: string) => name.replace(/(^|[._])(\w)/g, (_, __, letter: string) => letter.toUpperCase());
/** Returns the name of a schema's type. The type of the schema `Error` has another name, because JavaScript defines `Error`. */
const nameOf = (schema: string) => (schema === 'Error' ? 'ErrorBody' : pascal(schema));
const typeName = (reference: string) => nameOf(reference.slice(reference.lastIndexOf('/') + 1));
const doc = (text: string | undefined, indent: string) =>
  text ? `${indent}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n` : '';

function objectType(schema: Schema, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name);
    const type = tsType(field, inner);
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${doc(field.description, inner)}${inner}${key}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};\n`;
  });
  const rest = typeof additionalProperties === 'object' ? tsType(additionalProperties, inner) : 'unknown';
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (fields.length === 0) return `Record<string, ${rest}>`;
  return `{\n${fields.join('')}${isOpen ? `${inner}[field: string]: unknown;\n` : ''}${indent}}`;
}

/** Returns the TypeScript type of a JSON schema. */
function tsType(schema: Schema, indent = ''): string {
  if (schema.$ref) return typeName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map((option) => tsType(option, indent)))].join(' | ');
  const types = [schema.type ?? []].flat();
  if (types.length > 1) return types.map((type) => tsType({ ...schema, type }, indent)).join(' | ');
  switch (types[0]) {
    case 'object':
      return objectType(schema, indent);
    case 'array':
      return `Array<${tsType(schema.items ?? {}, indent)}>`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return types[0];
    default:
      return 'unknown';
  }
}

const operationOf = (route: Route): Operation => {
  const operation = document.paths[documentPath(route)]?.[route.method.toLowerCase()];
  if (!operation) throw new Error(`${route.id} is not in the document`);
  return operation;
};

const resolved = (schema: Schema | undefined): Schema =>
  schema?.$ref ? resolved(schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]) : (schema ?? {});

/** Returns the input of an operation: path parameters, query parameters and body fields in one object. */
function inputOf(route: Route): { schema: Schema; query: string[] } {
  const { parameters, requestBody } = operationOf(route);
  const named = parameters.filter((each) => each.in === 'path' || each.in === 'query');
  const body = resolved(requestBody?.content['application/json']?.schema);
  const fields = named.map(({ name = '', schema = {} }) => [name, schema] as const);
  const required = named.flatMap(({ name = '', required: isRequired }) => (isRequired ? [name] : []));
  return {
    query: named.flatMap(({ name = '', in: where }) => (where === 'query' ? [name] : [])),
    schema: {
      ...body,
      type: 'object',
      properties: { ...Object.fromEntries(fields), ...body.properties },
      required: [...required, ...(body.required ?? [])],
    },
  };
}

/** Returns the result of an operation: the content of `data` for `single` (also of a list that has no pages), a page for `list`, the whole response for `whole`. */
function resultOf(route: Route): { shape: 'single' | 'list' | 'whole'; type: string } {
  const schema = operationOf(route).responses[String(route.status)]?.content?.['application/json']?.schema ?? {};
  const names = Object.keys(resolved(schema).properties ?? {})
    .sort()
    .join();
  const { data, has_more: more } = resolved(schema).properties ?? {};
  const isSingle = names === 'data' || (names === 'data,has_more' && more?.const === false);
  if (isSingle && data) return { shape: 'single', type: tsType(data) };
  // A list that is continued after an item has no offset: its caller continues it.
  if (/^(cursor,)?data,has_more$/.test(names) && data?.items && inputOf(route).query.includes('offset'))
    return { shape: 'list', type: tsType(data.items) };
  return { shape: 'whole', type: tsType(schema) };
}

/**
 * Returns the names of the fields in a deletion's result. The client makes it up where the response was lost, so each must be in
 * the path, or be `true`.
 */
function deletionFields(route: Route): string[] | undefined {
  if (route.method !== 'DELETE') return undefined;
  const schema = operationOf(route).responses[String(route.status)]?.content?.['application/json']?.schema;
  const fields = Object.entries(resolved(resolved(schema).properties?.data).properties ?? {});
  for (const [name, { const: value }] of fields)
    if (value !== true && !route.path.includes(`{${name}}`))
      throw new Error(`${route.id}: ${name} is not known beforehand`);
  return fields.map(([name]) => name);
}

/** The operations for programs, without those that other services call or that only describe the API. */
const callable = operationsOf('platform').filter(
  ({ access, id, response }) =>
    access !== 'hook' && access !== 'none' && id !== 'createChatCompletion' && response !== undefined,
);

function renderOperation(route: Route): { input: string; row: string; entry: string } {
  const { schema, query } = inputOf(route);
  const name = `${pascal(route.id)}Input`;
  const { shape, type } = resultOf(route);
  const hasInput = Object.keys(schema.properties ?? {}).length > 0;
  const isOptional = (schema.required ?? []).length === 0;
  const text = `${route.summary}. \`${route.method} ${documentPath(route)}\``;
  return {
    input: hasInput ? `export interface ${name} ${objectType(schema, '')}\n` : '',
    row: `  ${route.id}: ${JSON.stringify({ method: route.method, path: documentPath(route), query, shape, deletion: deletionFields(route) })},\n`,
    entry: `${doc(text, '  ')}  ${route.id}: { input: ${hasInput ? name : 'Record<string, never>'}; optional: ${isOptional}; shape: '${shape}'; result: ${type} };\n`,
  };
}

const eventType = (type: string): string => pascal(`Event.${type}`);

/** Returns the text of the generated file. */
export function renderOperations(): string {
  const rendered = callable.map(renderOperation);
  const named = Object.entries(schemas).map(
    ([name, schema]) => `${doc(schema.description, '')}export type ${nameOf(name)} = ${tsType(schema)};\n`,
  );
  const chat = operationsOf('platform').find(({ id }) => id === 'createChatCompletion');
  return `// Generated by \`npm run client:generate\` from the contract. Do not edit.

${named.join('\n')}
${chat ? `export interface CreateChatCompletionInput ${objectType(inputOf(chat).schema, '')}\n` : ''}
${rendered.map(({ input }) => input).join('\n')}
/** The types of the events that endpoints receive. */
export const EVENT_TYPES = ${JSON.stringify(Object.keys(EVENTS))} as const;

/** An event that endpoints receive. Its \`type\` determines its \`data\`. */
export type WebhookEvent = ${Object.keys(EVENTS).map(eventType).join(' | ')};

/** The operations by name, each with its input in one object and its result. */
export interface Operations {
${rendered.map(({ entry }) => entry).join('')}}

interface Row {
  method: string;
  path: string;
  /** Fields of the input that are sent in the query. */
  query: readonly string[];
  /** \`single\`: the result is the content of \`data\`; \`list\`: pages; \`whole\`: the whole response. */
  shape: 'single' | 'list' | 'whole';
  /** The fields of a deletion's result. Fields of the input keep their value; others are true. */
  deletion?: readonly string[];
}

export const OPERATIONS: { readonly [Id in keyof Operations]: Row & { shape: Operations[Id]['shape'] } } = {
${rendered.map(({ row }) => row).join('')}};
`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(FILE, renderOperations());
