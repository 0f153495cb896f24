import { expect } from 'vitest';
import * as z from 'zod';
import type { ErrorCode } from '../../contract/errors.ts';
import { type Audience, buildOpenApi, documentPath, operationsOf } from '../../contract/reference/openapi.ts';
import type { Route } from '../../contract/route.ts';

/**
 * A `fetch` that holds every exchange with the platform against its OpenAPI documents, as a validating proxy does: the status
 * and the error's code are documented for the operation, the body fits its schema, documented headers are there, and a
 * request that succeeded is one that the document allows.
 */

type Json = Record<string, unknown>;
interface Content {
  schema: Json;
  examples?: Record<string, unknown>;
}
interface Operation {
  parameters: ({ name: string; in: string; required: boolean; schema: Json } | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, { $ref?: string; headers?: Json; content?: Record<string, Content> }>;
}
type Parameter = Exclude<Operation['parameters'][number], { $ref: string }>;
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Json;
    parameters: Record<string, Parameter>;
    responses: Record<string, Operation['responses'][string]>;
  };
}

const documents = new Map<Audience, Document>();
function documentOf(audience: Audience): Document {
  const built = documents.get(audience) ?? (buildOpenApi('', '', audience) as unknown as Document);
  documents.set(audience, built);
  return built;
}

/** References to definitions as Zod reads them. */
const withDefinitions = (schema: Json) =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'));

const definitions = new WeakMap<Document, z.core.JSONSchema.JSONSchema['$defs']>();
function definitionsOf(document: Document): z.core.JSONSchema.JSONSchema['$defs'] {
  const built = definitions.get(document) ?? withDefinitions(document.components.schemas);
  definitions.set(document, built);
  return built;
}

const compiled = new WeakMap<Json, z.ZodType>();
function schemaOf(document: Document, schema: Json): z.ZodType {
  const known = compiled.get(schema);
  if (known) return known;
  // Zod reads all definitions with each schema. Those of parameters and most bodies have no references.
  const hasReferences = JSON.stringify(schema).includes('"$ref"');
  const $defs = hasReferences ? definitionsOf(document) : undefined;
  const made = z.fromJSONSchema({ ...withDefinitions(schema), ...($defs ? { $defs } : {}) });
  compiled.set(schema, made);
  return made;
}

/** All documents: a path is in one of them. */
const audiences: readonly Audience[] = ['platform', 'dashboard', 'operator'];
const patternOf = ({ path }: Route) => new RegExp(`^${path.replace(/\{\w+\+\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')}$`);
/** Complete paths before those with parameters, as the router does. */
const candidates = audiences
  .flatMap((audience) => operationsOf(audience).map((route) => ({ audience, route, pattern: patternOf(route) })))
  .sort((a, b) => a.route.path.split('{').length - b.route.path.split('{').length);

function find(method: string, path: string) {
  const found = candidates.find(({ route, pattern }) => route.method === method && pattern.test(path));
  if (!found) return undefined;
  const document = documentOf(found.audience);
  const operation = document.paths[documentPath(found.route)]?.[method.toLowerCase()];
  return operation && { document, operation, path: found.route.path, name: `${method} ${documentPath(found.route)}` };
}
type Found = NonNullable<ReturnType<typeof find>>;

function problemsOf({ document }: Found, schema: Json, value: unknown): string[] {
  const { error } = schemaOf(document, schema).safeParse(value);
  return error ? [z.prettifyError(error)] : [];
}

/** Returns what the document does not allow about a response that is not streamed. */
function responseProblems(found: Found, answer: Response, text: string): string[] {
  const { document, operation } = found;
  const listed = operation.responses[answer.status];
  if (!listed) return [`status ${answer.status}: ${text.slice(0, 200)}`];
  const response = listed.$ref ? document.components.responses[listed.$ref.split('/').at(-1) ?? ''] : listed;
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const content = response?.content?.[type];
  if (!content) return [`content type ${type}`];
  const optional = ['Retry-After', 'Idempotent-Replayed', 'X-Ignored-Parameters'];
  // Where counting the request failed, there is no quota to report.
  const isOptional = (name: string) => optional.includes(name) || (answer.status >= 500 && /^X-RateLimit/.test(name));
  const missing = Object.keys(response.headers ?? {}).filter((name) => !isOptional(name) && !answer.headers.has(name));
  if (type !== 'application/json') return missing;
  const body: { error?: { code: ErrorCode } } = JSON.parse(text);
  const code = body.error?.code;
  return [
    ...missing.map((name) => `no header ${name}`),
    ...problemsOf(found, content.schema, body),
    ...(code && !(code in (content.examples ?? {})) ? [`code ${code}: ${text}`] : []),
  ];
}

const named = <T>(components: Record<string, T>, { $ref }: { $ref: string }): T | undefined =>
  components[$ref.split('/').at(-1) ?? ''];

/** Returns the values of an operation's path parameters, decoded, as `{name}` and `{name+}` take them. */
function pathValues(path: string, pathname: string): Record<string, string> {
  const pattern = path.replace(/\{(\w+)\+\}/g, '(?<$1>.+)').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const groups = new RegExp(`^${pattern}$`).exec(pathname)?.groups ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}

/** A request as far as it is validated. */
interface Sent {
  method: string;
  headers: Headers;
  body: string;
}

async function requestOf(input: string | URL | Request, { method, headers, body }: RequestInit): Promise<Sent> {
  if (input instanceof Request) {
    return { method: input.method, headers: input.headers, body: await input.clone().text() };
  }
  return { method: method ?? 'GET', headers: new Headers(headers), body: typeof body === 'string' ? body : '' };
}

/** Returns what the document does not allow about a request: its path, query, headers and body. */
function requestProblems(found: Found, url: URL, { headers, body: text }: Sent): string[] {
  const { document, operation, path } = found;
  const inPath = pathValues(path, url.pathname);
  const parameters = operation.parameters.flatMap(
    (each) => ('name' in each ? each : named(document.components.parameters, each)) ?? [],
  );
  const readers: Record<string, (name: string) => string | null | undefined> = {
    path: (name) => inPath[name],
    query: (name) => url.searchParams.get(name),
    header: (name) => headers.get(name),
  };
  const content = operation.requestBody?.content['application/json'];
  return [
    ...(content && text !== '' ? problemsOf(found, content.schema, JSON.parse(text)) : []),
    ...(operation.requestBody?.required && text === '' ? ['a body is required'] : []),
    ...parameters.flatMap(({ name, in: place, required, schema }) => {
      const given = readers[place]?.(name) ?? null;
      if (given === null) return required ? [`${place} ${name} is required`] : [];
      return problemsOf(found, schema, schema.type === 'integer' ? Number(given) : given);
    }),
  ];
}

/** Validates each frame of a stream as it passes. */
function validatingStream(found: Found, schema: Json): TransformStream<string, string> {
  let rest = '';
  return new TransformStream({
    transform(piece, controller) {
      const frames = `${rest}${piece}`.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: (\{.*)$/s.exec(frame)?.[1];
        const chunk: { error?: unknown } = data ? JSON.parse(data) : { error: true };
        expect(chunk.error ? [] : problemsOf(found, schema, chunk), found.name).toEqual([]);
      }
      controller.enqueue(piece);
    },
  });
}

export async function documentedFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const sent = await requestOf(input, init);
  const answer = await fetch(input, init);
  const url = new URL(input instanceof Request ? input.url : input);
  const found = find(sent.method, url.pathname);
  if (!found) return answer;
  const stream = found.operation.responses[answer.status]?.content?.['text/event-stream'];
  if (stream && answer.body && answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    const body = answer.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(validatingStream(found, stream.schema))
      .pipeThrough(new TextEncoderStream());
    return new Response(body, answer);
  }
  const text = await answer.clone().text();
  // API Gateway's own words for a function that crashed or took too long: no operation's answer.
  if (answer.status >= 500 && /^\{"message":"[^"]*"\}$/.test(text)) return answer;
  const problems = [...responseProblems(found, answer, text), ...(answer.ok ? requestProblems(found, url, sent) : [])];
  expect(problems, `${found.name} is as the document says`).toEqual([]);
  return answer;
}
