import * as z from 'zod/mini';
import { route } from '../route.ts';

export const getOperatorOpenApi = /* @__PURE__ */ route({
  id: 'getOperatorOpenApi',
  method: 'GET',
  path: '/operator/v1/openapi.json',
  access: 'none',
  summary: 'Read the operators’ API as an OpenAPI 3.1 document',
  tag: 'Documentation',
  response: () => z.record(z.string(), z.unknown()),
});
