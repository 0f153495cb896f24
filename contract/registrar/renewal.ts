import * as z from 'zod/mini';
import { Id, single } from '../envelope.ts';
import { route } from '../route.ts';
import { Domain } from './domains.ts';

export const updateDomain = /* @__PURE__ */ route({
  id: 'updateDomain',
  method: 'PATCH',
  path: '/dashboard/v1/domains/{id}',
  access: 'login',
  right: 'develop',
  audit: 'domain.updated',
  summary: 'Turn automatic renewal of a domain on or off; turning it off voids an unpaid invoice for the next term',
  tag: 'Domains and DNS',
  params: Id,
  body: () => z.object({ autoRenew: z.boolean() }),
  response: () => single(Domain()),
});
