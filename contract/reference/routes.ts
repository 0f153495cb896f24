import * as z from 'zod/mini';
import { route } from '../route.ts';

const Document = () => z.record(z.string(), z.unknown());

export const getOpenApi = /* @__PURE__ */ route({
  id: 'getOpenApi',
  method: 'GET',
  path: '/v1/openapi.json',
  access: 'none',
  summary: 'Read this API as an OpenAPI 3.1 document',
  tag: 'Documentation',
  response: Document,
  // The dashboard's path has the document for logins.
  alsoOnDashboard: false,
});

export const getDashboardOpenApi = /* @__PURE__ */ route({
  id: 'getDashboardOpenApi',
  method: 'GET',
  path: '/dashboard/v1/openapi.json',
  access: 'none',
  summary: 'Read the dashboard’s API as an OpenAPI 3.1 document',
  tag: 'Documentation',
  response: Document,
});

export const getDocs = /* @__PURE__ */ route({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  access: 'none',
  summary: 'Read this API as a web page',
  tag: 'Documentation',
});
