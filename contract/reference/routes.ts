import * as z from 'zod/mini';
import { route } from '../route.ts';

const Document = () => z.record(z.string(), z.unknown());

export const getOpenApi = /* @__PURE__ */ route({
  id: 'getOpenApi',
  method: 'GET',
  path: '/v1/openapi.json',
  access: 'none',
  summary: 'This API as an OpenAPI 3.1 document',
  tag: 'Documentation',
  response: Document,
  // There it describes what logins call.
  alsoOnDashboard: false,
});

export const getDashboardOpenApi = /* @__PURE__ */ route({
  id: 'getDashboardOpenApi',
  method: 'GET',
  path: '/dashboard/v1/openapi.json',
  access: 'none',
  summary: 'The API of the dashboard as an OpenAPI 3.1 document',
  tag: 'Documentation',
  response: Document,
});

export const getDocs = /* @__PURE__ */ route({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  access: 'none',
  summary: 'A page to read this API',
  tag: 'Documentation',
});
