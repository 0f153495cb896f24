import type * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { describeIssue } from '../../contract/issues.ts';
import { isObject } from '../../contract/json.ts';
import { findIgnoredFields } from '../../contract/reference/ignored-fields.ts';
import { type Route, takesBody } from '../../contract/route.ts';
import type { Event } from './response.ts';

const MIB = 1024 * 1024;

/** Maximum size of a request body in bytes (design, section 4). */
const MAX_BODY_BYTES = MIB;

const invalid = (message: string) => new ApiError('invalid_request', message);

/** Returns the body as it was sent. Throws 400 if it exceeds `limit` bytes. */
export function bodyBytes({ body = '', isBase64Encoded }: Event, limit: number): Buffer {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > limit) throw invalid(`body: must be at most ${limit / MIB} MiB`);
  return bytes;
}

interface JsonBody {
  text: string;
  json: unknown;
}

/** Reads the body as JSON, whatever its content type. A missing body is read as an empty object. */
export function readBody(event: Event, limit = MAX_BODY_BYTES): JsonBody {
  const bytes = bodyBytes(event, limit);
  if (bytes.length === 0) return { text: '{}', json: {} };
  const body = parseJson(bytes);
  assertUnicode(body);
  return body;
}

function parseJson(bytes: Buffer): JsonBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, json: JSON.parse(text) };
  } catch {
    throw invalid('body: must be JSON in UTF-8');
  }
}

/** An escape of half a surrogate pair, or of a whole pair. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Throws 400, naming the field, for text with half of a surrogate pair: JSON can write it down, but it is no Unicode text (RFC
 * 8259, section 8.2), and what stores or sends text in UTF-8 refuses or changes it.
 */
function assertUnicode({ text, json }: JsonBody): void {
  if (!ESCAPED_SURROGATE.test(text)) return;
  const left: { value: unknown; path: string }[] = [{ value: json, path: '' }];
  // A list in place of recursion, because a body may be nested deeper than the stack.
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && !value.isWellFormed()) throw invalid(`${path || 'body'}: must be Unicode text`);
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, each] of Object.entries(value)) left.push({ value: each, path: path ? `${path}.${name}` : name });
  }
}

/** The first validation error, with the field's name: `vars.0.key: A is given twice`. */
function firstIssue(where: string, error: z.core.$ZodError): ApiError {
  const issue = error.issues[0];
  const field = issue?.path.map(String).join('.') || where;
  return invalid(`${field}: ${issue ? describeIssue(issue) : 'is invalid'}`);
}

/** Parses a value by a schema. Throws 400, naming the invalid field. */
export function parseAs<T>(schema: () => z.ZodMiniType<T>, value: unknown, where: string): T {
  const parsed = schema().safeParse(value, { reportInput: true });
  if (!parsed.success) throw firstIssue(where, parsed.error);
  return parsed.data;
}

function parseFields(
  schema: (() => z.ZodMiniType) | undefined,
  value: unknown,
  where: string,
): Record<string, unknown> {
  return schema ? (parseAs(schema, value, where) as Record<string, unknown>) : {};
}

/** Parses the path parameters. An id of a form that the platform never issues is 404, as any unknown id. */
function parsePath({ params }: Route, event: Event): Record<string, unknown> {
  if (!params) return {};
  const parsed = params().safeParse(event.pathParameters ?? {});
  if (!parsed.success) throw new ApiError('not_found');
  return parsed.data;
}

/** The input of a request, and the names of the fields that its body has beyond it. */
export interface ParsedRequest {
  input: Record<string, unknown>;
  ignored: string[];
}

/** Parses the path, query and body of a request into one object by the route's schemas. Throws 400, naming the field, or 404. */
export function parseRequest(route: Route, event: Event): ParsedRequest {
  const json = takesBody(route) ? readBody(event).json : undefined;
  const ignored = route.body ? findIgnoredFields(route.body(), json) : Object.keys(isObject(json) ? json : {});
  const [unknown] = ignored;
  // A misspelt field of an operator would act on more than is meant: on the account in place of one of its keys.
  if (unknown !== undefined && route.access === 'operator') throw invalid(`${unknown}: is no field of this operation`);
  const input = {
    ...parseFields(route.body, json, 'body'),
    ...parseFields(route.query, event.queryStringParameters ?? {}, 'query'),
    ...parsePath(route, event),
  };
  return { input, ignored };
}

/** Returns the input of a request. Throws 400, naming the field, or 404. */
export const parseInput = (route: Route, event: Event): Record<string, unknown> => parseRequest(route, event).input;
