import { ChatCompletionChunk } from '../ai/chat.ts';
import { RIGHTS, type Right } from '../roles.ts';
import { type Access, type Route, takesBody } from '../route.ts';
import type { Components, Json } from './components.ts';
import { buildFailures } from './failures.ts';
import { IGNORED_HEADER } from './ignored-fields.ts';

/** Returns the security requirements of an operation, from its access rule. */
function buildSecurity(access: Access): Json[] {
  switch (access) {
    case 'none':
    case 'hook':
      return [];
    case 'login':
    case 'operator':
      return [{ login: [] }];
    case 'catalogue':
      return [{ publicKey: [] }, { secretKey: [] }];
    default:
      return [{ secretKey: [] }];
  }
}

/** Returns the roles that an operation needs, unless every member of the account may call it. */
const describeRight = (right: Right | undefined): string =>
  right === undefined || right === 'member' ? '' : ` Its role in the account must be ${RIGHTS[right].join(' or ')}.`;

function describeAccess({ access, right }: Route): string {
  switch (access) {
    case 'none':
      return 'No key needed.';
    case 'hook':
      return "Takes no key: the request is signed with the hook's own secret.";
    case 'login':
      return `Needs a login: the access token that the dashboard has.${describeRight(right)}`;
    case 'operator':
      return 'Needs a login with the role operator.';
    case 'catalogue':
      return 'Takes a public or a secret key.';
    case 'any':
      return 'Takes any secret key.';
    default:
      return `Needs a secret key with the scope \`${access}\`.`;
  }
}

/** Response headers, each described once. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'X-RateLimit-Limit': { schema: { type: 'integer' }, description: 'Requests in any 60 seconds' },
  'X-RateLimit-Remaining': { schema: { type: 'integer' }, description: 'Requests that are left of them' },
  'X-RateLimit-Reset': { schema: { type: 'integer' }, description: 'Unix seconds when the window resets' },
  'X-Request-Id': { schema: { type: 'string' }, description: 'Quote it when you ask for help' },
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds after which a retry gets through' },
  'Idempotent-Replayed': {
    schema: { type: 'string', const: 'true' },
    description: 'Present where this is the stored response of an earlier request with the same `Idempotency-Key`',
  },
  [IGNORED_HEADER]: {
    schema: { type: 'string' },
    description: 'Present where the body has fields that have no effect: their names, separated by commas',
  },
  'X-Upstream-Latency-Ms': { schema: { type: 'number' }, description: "The provider's share of the latency" },
  'X-Gateway-Overhead-Ms': { schema: { type: 'number' }, description: "The gateway's share of the latency" },
};

const refer = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const STANDARD = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

const isStreamed = ({ id }: Route) => id === 'createChatCompletion';
const isIdempotent = (route: Route) => route.method === 'POST' && route.access !== 'hook' && !isStreamed(route);

/** Operators' operations refuse what they do not know. */
const ignoresFields = (route: Route) => takesBody(route) && route.access !== 'operator';

function buildParameters(route: Route, components: Components): Json[] {
  const of = (where: 'path' | 'query', schema: Route['params']) => {
    const { properties = {}, required = [] } = schema ? (components.show(schema(), 'input') as Json) : {};
    return Object.entries(properties as Json).map(([name, shown]) => ({
      name,
      in: where,
      required: where === 'path' || ((required as string[]).includes(name) && !hasDefault(shown)),
      schema: shown,
    }));
  };
  const key = isIdempotent(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return [...of('path', route.params), ...of('query', route.query), ...key];
}

const hasDefault = (schema: unknown) => typeof schema === 'object' && schema !== null && 'default' in schema;

/** The schema of what each frame of a stream holds: OpenAPI 3.1 has no word for the frames. */
const streamSchema = (components: Components): Json => ({
  ...components.show(ChatCompletionChunk(), 'output'),
  description: 'With `stream: true`: frames `data: <chunk>`, and `data: [DONE]` at the end',
});

function buildContent(route: Route, components: Components): Json {
  if (!route.response) return { [route.mediaType]: { schema: { type: 'string' } } };
  return {
    'application/json': { schema: components.show(route.response(), 'output') },
    ...(isStreamed(route)
      ? {
          'text/event-stream': { schema: streamSchema(components) },
        }
      : {}),
  };
}

function buildResponses(route: Route, components: Components): Json {
  const success = {
    description: 'Success',
    headers: refer(
      ...STANDARD,
      ...(ignoresFields(route) ? [IGNORED_HEADER] : []),
      ...(isIdempotent(route) ? ['Idempotent-Replayed'] : []),
      ...(isStreamed(route) ? ['X-Upstream-Latency-Ms', 'X-Gateway-Overhead-Ms'] : []),
    ),
    content: buildContent(route, components),
  };
  // A push that starts nothing (functions/api/receivePush.ts).
  const more = route.id === 'receivePush' ? { 200: { ...success, description: 'Ignored, with the reason' } } : {};
  return { [route.status]: success, ...more, ...buildFailures(route, components, refer(...STANDARD)) };
}

/** Returns the OpenAPI operation of a route. */
export const buildOperation = (route: Route, components: Components): Json => ({
  operationId: route.id,
  summary: route.summary,
  description: `${route.summary}. ${describeAccess(route)}`,
  tags: [route.tag],
  security: buildSecurity(route.access),
  parameters: buildParameters(route, components),
  ...(route.body
    ? {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: components.show(route.body(), 'input') } },
        },
      }
    : {}),
  responses: buildResponses(route, components),
});
