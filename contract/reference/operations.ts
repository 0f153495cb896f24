import { ChatCompletionChunk } from '../ai/chat.ts';
import { RIGHTS, type Right } from '../roles.ts';
import { type Access, type Route, takesBody } from '../route.ts';
import type { Components, Json } from './components.ts';
import { buildFailures } from './failures.ts';
import { IGNORED_HEADER } from './ignored-fields.ts';

/** Returns the security requirements of an access rule. */
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

/** Returns a sentence with the roles that an operation requires; empty if every member of the account may call it. */
const describeRight = (right: Right | undefined): string =>
  right === undefined || right === 'member' ? '' : ` Its role in the account must be ${RIGHTS[right].join(' or ')}.`;

function describeAccess({ access, right }: Route): string {
  switch (access) {
    case 'none':
      return 'Requires no key.';
    case 'hook':
      return "Requires no key: the request is signed with the hook's secret.";
    case 'login':
      return `Requires a login: the access token of the dashboard.${describeRight(right)}`;
    case 'operator':
      return 'Requires a login with the role operator.';
    case 'catalogue':
      return 'Requires a public or secret key.';
    case 'any':
      return 'Requires a secret key with any scope.';
    default:
      return `Requires a secret key with the scope \`${access}\`.`;
  }
}

/** The response headers. Operations refer to them. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'X-RateLimit-Limit': { schema: { type: 'integer' }, description: 'Requests allowed in any 60 seconds' },
  'X-RateLimit-Remaining': { schema: { type: 'integer' }, description: 'Requests that remain in the current window' },
  'X-RateLimit-Reset': {
    schema: { type: 'integer' },
    description:
      'When the whole limit is available again, or, if no request remains, the next one is allowed, in Unix seconds',
  },
  'X-Request-Id': { schema: { type: 'string' }, description: 'The id of the request. Quote it when you ask for help.' },
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait before a retry' },
  'Idempotent-Replayed': {
    schema: { type: 'string', const: 'true' },
    description: 'Present if this is the stored response to an earlier request with the same `Idempotency-Key`',
  },
  [IGNORED_HEADER]: {
    schema: { type: 'string' },
    description: 'Names of the fields in the body that had no effect, separated by commas; absent if there are none',
  },
  'X-Upstream-Latency-Ms': { schema: { type: 'number' }, description: "The provider's share of the latency in ms" },
  'X-Gateway-Overhead-Ms': { schema: { type: 'number' }, description: "The gateway's share of the latency in ms" },
};

const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const STANDARD = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

const isStreamed = ({ id }: Route) => id === 'createChatCompletion';
const isIdempotent = (route: Route) => route.method === 'POST' && route.access !== 'hook' && !isStreamed(route);

/** Returns true for an operation that ignores unknown fields of its body. Operators' operations refuse them. */
const ignoresFields = (route: Route) => takesBody(route) && route.access !== 'operator';

function buildParameters(route: Route, components: Components): Json[] {
  const parametersIn = (location: 'path' | 'query', schema: Route['params']) => {
    const { properties = {}, required = [] } = schema ? (components.show(schema(), 'input') as Json) : {};
    return Object.entries(properties as Json).map(([name, shown]) => ({
      name,
      in: location,
      required: location === 'path' || ((required as string[]).includes(name) && !hasDefault(shown)),
      schema: shown,
    }));
  };
  const key = isIdempotent(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return [...parametersIn('path', route.params), ...parametersIn('query', route.query), ...key];
}

const hasDefault = (schema: unknown) => typeof schema === 'object' && schema !== null && 'default' in schema;

/** Returns the schema of the data in one frame of a stream. OpenAPI 3.1 cannot describe the frames themselves. */
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
    headers: headerRefs(
      ...STANDARD,
      ...(ignoresFields(route) ? [IGNORED_HEADER] : []),
      ...(isIdempotent(route) ? ['Idempotent-Replayed'] : []),
      ...(isStreamed(route) ? ['X-Upstream-Latency-Ms', 'X-Gateway-Overhead-Ms'] : []),
    ),
    content: buildContent(route, components),
  };
  // The response to a push that starts no deployment (functions/api/receivePush.ts).
  const ignoredPush =
    route.id === 'receivePush' ? { 200: { ...success, description: 'The push was ignored, with the reason' } } : {};
  return { [route.status]: success, ...ignoredPush, ...buildFailures(route, components, headerRefs(...STANDARD)) };
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
