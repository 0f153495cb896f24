import * as z from 'zod/mini';
import { ERRORS } from '../errors.ts';
import { type Access, type Path, type Route, toDashboardPath } from '../route.ts';
import { dashboardRoutes, routes, streamedRoutes } from '../routes.ts';

type Json = Record<string, unknown>;

/** Gathers the named schemas of everything shown, so that each is written once. */
class Components {
  readonly schemas: Json = {};

  show(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
    const { $schema, $defs, ...shown } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const openApiOverride = z.globalRegistry.get(zodSchema)?.openApiOverride;
        if (!openApiOverride) return;
        for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Json)[key];
        Object.assign(jsonSchema, openApiOverride);
      },
    }) as Json & { $defs?: Json };
    Object.assign(this.schemas, rewriteRefs($defs ?? {}));
    return rewriteRefs(shown);
  }
}

/** Points references at the document's components. */
const rewriteRefs = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'));

/** Returns the security requirements of an operation, from its access rule. */
function buildSecurity(access: Access): Json[] {
  switch (access) {
    case 'none':
    case 'hook':
      return [];
    case 'login':
      return [{ login: [] }];
    case 'catalogue':
      return [{ publicKey: [] }, { secretKey: [] }];
    default:
      return [{ secretKey: [] }];
  }
}

function describeAccess(access: Access): string {
  switch (access) {
    case 'none':
      return 'No key needed.';
    case 'hook':
      return "Takes no key: the request is signed with the hook's own secret.";
    case 'login':
      return 'Needs a login: the access token that the dashboard has.';
    case 'catalogue':
      return 'Takes a public or a secret key.';
    case 'any':
      return 'Takes any secret key.';
    default:
      return `Needs a secret key with the scope \`${access}\`.`;
  }
}

const RATE_HEADERS = {
  'X-RateLimit-Limit': { schema: { type: 'integer' }, description: 'Requests in any 60 seconds' },
  'X-RateLimit-Remaining': { schema: { type: 'integer' }, description: 'How many of them are left' },
  'X-RateLimit-Reset': { schema: { type: 'integer' }, description: 'Unix seconds when the window resets' },
  'X-Request-Id': { schema: { type: 'string' }, description: 'Quote it when you ask for help' },
};

function buildParameters(route: Route, components: Components): Json[] {
  const of = (where: 'path' | 'query', schema: Route['params']) => {
    const { properties = {}, required = [] } = schema ? (components.show(schema(), 'input') as Json) : {};
    return Object.entries(properties as Json).map(([name, shown]) => ({
      name,
      in: where,
      required: where === 'path' || (required as string[]).includes(name),
      schema: shown,
    }));
  };
  return [...of('path', route.params), ...of('query', route.query)];
}

function buildResponses(route: Route, components: Components): Json {
  const content = route.response
    ? { 'application/json': { schema: components.show(route.response(), 'output') } }
    : { 'text/html': { schema: { type: 'string' } } };
  return {
    [route.status]: { description: 'Success', headers: RATE_HEADERS, content },
    default: { $ref: '#/components/responses/Error' },
  };
}

function buildOperation(route: Route, components: Components): Json {
  return {
    operationId: route.id,
    summary: route.summary,
    description: describeAccess(route.access),
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
  };
}

const Failure = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'code', 'status'],
      properties: {
        message: { type: 'string' },
        code: { type: 'string', enum: Object.keys(ERRORS) },
        status: { type: 'integer' },
      },
    },
  },
};

/** The same operation as a login calls it. */
const forLogins = (route: Route, path: Path): Route => ({
  ...route,
  path,
  id: `dashboard${route.id[0]?.toUpperCase()}${route.id.slice(1)}`,
  access: route.access === 'none' ? 'none' : 'login',
  tag: 'Dashboard',
});

/** Returns every operation with each path that it is served at. */
function buildPaths(): Route[] {
  const own = [...routes, ...streamedRoutes] as readonly Route[];
  const alsoOnDashboard = own.flatMap((route) => {
    const path = route.alsoOnDashboard ? toDashboardPath(route.path) : undefined;
    return path ? [forLogins(route, path)] : [];
  });
  return [...own, ...(dashboardRoutes as readonly Route[]), ...alsoOnDashboard];
}

/** The OpenAPI 3.1 document of the whole contract. */
export function buildOpenApi(baseUrl: string, loginIssuer: string): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const route of buildPaths()) {
    // OpenAPI has no greedy parameters: there, slashes in the value are encoded.
    const path = route.path.replace('+}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: buildOperation(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hosting Platform API',
      version: '1',
      description: 'Deploy applications, buy domains, use AI models.',
    },
    servers: [{ url: baseUrl || '/' }],
    paths,
    components: {
      schemas: { ...components.schemas, Error: Failure },
      responses: {
        Error: {
          description: 'Failure',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
      securitySchemes: {
        secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key, `sk_live_…`' },
        login: { type: 'openIdConnect', openIdConnectUrl: `${loginIssuer}/.well-known/openid-configuration` },
        publicKey: { type: 'apiKey', in: 'header', name: 'X-Public-Key', description: 'A public key, `pk_live_…`' },
      },
    },
  };
}
