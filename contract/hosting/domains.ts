import * as z from 'zod/mini';
import { CUSTOM_DOMAIN_STATUSES } from '../enums.ts';
import { describe, Id, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/**
 * The domain of a web or email hosting subscription, and the proof that the account owns it. The server accepts mail only for
 * proven domains.
 */
const HostingDomain = resource('HostingDomain', () =>
  z.object({
    domain: z.string(),
    status: describe(
      z.enum(CUSTOM_DOMAIN_STATUSES),
      'With `VERIFIED`, the server accepts mail for the domain, and no other account can host it',
    ),
    challenge: describe(
      z.object({ type: z.string(), name: z.string(), value: z.string() }),
      'The record that proves that the domain is yours. Not needed for a domain that is registered in the account, or verified as the custom domain of one of its applications.',
    ),
    problem: describe(z.nullable(z.string()), 'What the last check found missing; null if nothing'),
    checkedAt: z.nullable(Timestamp()),
    records: describe(
      z.array(z.object({ type: z.string(), name: z.string(), value: z.string(), prio: z.nullable(z.int()) })),
      'DNS records that point the domain to its server; empty until the server and its addresses are known',
    ),
  }),
);

export const getHostingDomain = /* @__PURE__ */ route({
  id: 'getHostingDomain',
  method: 'GET',
  path: '/dashboard/v1/hosting/{id}/domain',
  access: 'login',
  right: 'member',
  summary: 'Read whether the domain of a hosting subscription is verified, and the DNS record that verifies it',
  tag: 'Web and email hosting',
  params: Id,
  response: () => single(HostingDomain()),
});
