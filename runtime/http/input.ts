import type * as z from 'zod/mini';
import { ApiError, invalidField } from '../../contract/errors.ts';
import { describeIssue } from '../../contract/issues.ts';
import { isObject } from '../../contract/json.ts';
import { findIgnoredFields } from '../../contract/reference/ignored-fields.ts';
import { type Route, takesBody } from '../../contract/route.ts';
import type { Event } from './response.ts';

const MIB = 1024 * 1024;

/** Maximum size of a request body in bytes. */
const MAX_BODY_BYTES = MIB;

/** Returns the body as it was sent. Throws 400 if it exceeds `limit` bytes. */
export function bodyBytes({ body = '', isBase64Encoded }: Event, limit: number): Buffer {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > limit) throw invalidField('body', `must be at most ${limit / MIB} MiB`);
  return bytes;
}

interface JsonBody {
  text: string;
  json: unknown;
}

/** Reads the body as JSON, regardless of its content type. A missing body is read as an empty object. */
export function readBody(event: Event, limit = MAX_BODY_BYTES): JsonBody {
  const bytes = bodyBytes(event, limit);
  if (bytes.length === 0) return { text: '{}', json: {} };
  const body = decodeJson(bytes);
  assertUnicode(body);
  return body;
}

function decodeJson(bytes: Buffer): JsonBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, json: JSON.parse(text) };
  } catch {
    throw invalidField('body', 'must be JSON in UTF-8');
  }
}

/** The escape of a surrogate, alone or as part of a pair. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Throws 400, naming the field, for text with a lone surrogate. JSON can express it, but it is not valid Unicode (RFC 8259, section
 * 8.2), and software that stores or sends UTF-8 refuses or changes it.
 */
function assertUnicode({ text, json }: JsonBody): void {
  if (!ESCAPED_SURROGATE.test(text)) return;
  const pending: { value: unknown; path: string }[] = [{ value: json, path: '' }];
  // A list instead of recursion, because a body may be nested too deeply for the call stack.
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && !value.isWellFormed()) throw invalidField(path || 'body', 'must be Unicode text');
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, nested] of Object.entries(value))
      pending.push({ value: nested, path: path ? `${path}.${name}` : name });
  }
}

/** Returns the first validation error with the field's name: `vars.0.key: A is given twice`. */
function firstIssue(location: string, error: z.core.$ZodError): ApiError {
  const issue = error.issues[0];
  const field = issue?.path.map(String).join('.') || location;
  return invalidField(field, issue ? describeIssue(issue) : 'is invalid');
}

/** Parses a value by a schema. Throws 400, naming the invalid field. */
export function parseAs<T>(schema: () => z.ZodMiniType<T>, value: unknown, location: string): T {
  const parsed = schema().safeParse(value, { reportInput: true });
  if (!parsed.success) throw firstIssue(location, parsed.error);
  return parsed.data;
}

function parseFields(
  schema: (() => z.ZodMiniType) | undefined,
  value: unknown,
  location: string,
): Record<string, unknown> {
  return schema ? (parseAs(schema, value, location) as Record<string, unknown>) : {};
}

/** Parses the path parameters. Throws 404 for a malformed id, as for any unknown id. */
function parsePath({ params }: Route, event: Event): Record<string, unknown> {
  if (!params) return {};
  const parsed = params().safeParse(event.pathParameters ?? {});
  if (!parsed.success) throw new ApiError('not_found');
  return parsed.data;
}

/** The input of a request, and the names of the body's fields that have no effect. */
export interface ParsedRequest {
  input: Record<string, unknown>;
  ignored: string[];
}

/** Parses the path, query and body of a request into one object by the route's schemas. Throws 400, naming the field, or 404. */
export function parseRequest(route: Route, event: Event): ParsedRequest {
  const json = takesBody(route) ? readBody(event).json : undefined;
  const ignored = route.body ? findIgnoredFields(route.body(), json) : Object.keys(isObject(json) ? json : {});
  const [unknown] = ignored;
  // A misspelled field could widen an operator's action, for example from one key to the whole account.
  if (unknown !== undefined && route.access === 'operator')
    throw invalidField(unknown, 'is not a field of this operation');
  const input = {
    ...parseFields(route.body, json, 'body'),
    ...parseFields(route.query, event.queryStringParameters ?? {}, 'query'),
    ...parsePath(route, event),
  };
  return { input, ignored };
}

/** Returns the input of a request. Throws 400, naming the field, or 404. */
export const parseInput = (route: Route, event: Event): Record<string, unknown> => parseRequest(route, event).input;
