import * as z from 'zod/mini';
import { route } from '../route.ts';

export const getOpenApi = /* @__PURE__ */ route({
  id: 'getOpenApi',
  method: 'GET',
  path: '/v1/openapi.json',
  access: 'none',
  summary: 'This API as an OpenAPI 3.1 document',
  tag: 'Documentation',
  response: () => z.record(z.string(), z.unknown()),
});

export const getDocs = /* @__PURE__ */ route({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  access: 'none',
  summary: 'A page to read this API',
  tag: 'Documentation',
});
