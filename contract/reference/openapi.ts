import { type Path, type Route, toDashboardPath } from '../route.ts';
import { dashboardRoutes, operatorRoutes, routes, streamedRoutes } from '../routes.ts';
import { TAGS, WEBHOOKS_TAG } from '../tags.ts';
import { Components, type Json } from './components.ts';
import { buildWebhooks } from './event-schemas.ts';
import { Examples } from './examples.ts';
import { ERROR_SCHEMA } from './failures.ts';
import { buildOperation, HEADERS } from './operations.ts';

/** The audience of an OpenAPI document: API keys, logins (the dashboard's API), or logins of operators. */
export type Audience = 'platform' | 'dashboard' | 'operator';

const DESCRIPTION = `Deploy applications, buy domains, use AI models.

A response is \`{"data": …}\`; a list also has \`has_more\`. Money is a string in rand with two decimals; times are ISO 8601 in UTC. An error is \`{"error": {"message", "code", "status"}}\`.`;

/** Returns an operation in the form in which logins call it. */
const forLogins = (route: Route, path: Path): Route => ({
  ...route,
  path,
  access: route.access === 'none' ? 'none' : 'login',
});

/** Returns the operations of an audience, each at its path for that audience. */
export function operationsOf(audience: Audience): Route[] {
  const platformRoutes = [...routes, ...streamedRoutes] as readonly Route[];
  if (audience === 'platform') return [...platformRoutes];
  if (audience === 'operator') return [...(operatorRoutes as readonly Route[])];
  const alsoOnDashboard = platformRoutes.flatMap((route) => {
    const path = route.alsoOnDashboard ? toDashboardPath(route.path) : undefined;
    return path ? [forLogins(route, path)] : [];
  });
  return [...(dashboardRoutes as readonly Route[]), ...alsoOnDashboard];
}

/** Returns an operation's path in a document. OpenAPI has no greedy parameters: clients encode slashes in the value. */
export const documentPath = ({ path }: { path: string }): string => path.replace('+}', '}');

const loginScheme = (issuer: string, description: string): Json => ({
  type: 'openIdConnect',
  description,
  openIdConnectUrl: `${issuer}/.well-known/openid-configuration`,
});

const SCHEMES = (loginIssuer: string): Record<Audience, Json> => ({
  platform: {
    secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key, `sk_live_…`' },
    publicKey: { type: 'apiKey', in: 'header', name: 'X-Public-Key', description: 'A public key, `pk_live_…`' },
  },
  dashboard: { login: loginScheme(loginIssuer, 'The access token of a login') },
  operator: { login: loginScheme(loginIssuer, 'The access token of a login with the role operator') },
});

const TITLES: Record<Audience, string> = {
  platform: 'Hosting Platform API',
  dashboard: 'Hosting Platform API for logins',
  operator: 'Hosting Platform API for operators',
};

/** Builds the OpenAPI 3.1 document of an audience. */
export function buildOpenApi(baseUrl: string, loginIssuer: string, audience: Audience = 'platform'): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  const operations = operationsOf(audience);
  for (const route of operations) {
    const path = documentPath(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: buildOperation(route, components) };
  }
  addExamples(operations, paths, components);
  const webhooks = audience === 'platform' ? buildWebhooks(components) : undefined;
  const used = new Set([...operations.map(({ tag }) => tag), ...(webhooks ? [WEBHOOKS_TAG] : [])]);
  return {
    openapi: '3.1.0',
    info: {
      title: TITLES[audience],
      version: '1.0.0',
      description: DESCRIPTION,
      contact: { name: 'The reference', url: `${baseUrl}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl || '/', description: 'This installation' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    ...(webhooks ? { webhooks } : {}),
    components: {
      schemas: { ...components.schemas, Error: ERROR_SCHEMA },
      responses: components.responses,
      headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => isUsed(paths, components, name))),
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'For 24 hours, further requests with the same key and body have no effect and return the first response.',
          schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['order-2026-0042'] },
        },
      },
      securitySchemes: SCHEMES(loginIssuer)[audience],
    },
  };
}

/** Adds an example to each body. */
function addExamples(operations: readonly Route[], paths: Record<string, Json>, { schemas }: Components): void {
  const examples = new Examples(schemas);
  for (const route of operations) {
    const operation = paths[documentPath(route)]?.[route.method.toLowerCase()] as OperationWithBody | undefined;
    const content = operation?.requestBody?.content['application/json'];
    if (content) content.example = examples.bodyOf(route.id, content.schema);
  }
}

interface OperationWithBody {
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> };
}

const isUsed = (paths: Json, { responses }: Components, header: string): boolean =>
  JSON.stringify([paths, responses]).includes(`"#/components/headers/${header}"`);
