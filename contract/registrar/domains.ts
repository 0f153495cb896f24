import * as z from 'zod/mini';
import { DNS_PROVIDERS, DOMAIN_STATUSES } from '../enums.ts';
import { Id, list, Page, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** A domain (specification, Resources: Domain). `registeredAt` and `expiresAt` are null until it is registered. */
export const Domain = resource('Domain', () =>
  z.object({
    id: z.string(),
    name: z.string(),
    tld: z.string(),
    status: z.enum(DOMAIN_STATUSES),
    autoRenew: z.boolean(),
    registeredAt: z.nullable(Timestamp()),
    expiresAt: z.nullable(Timestamp()),
    nameservers: z.array(z.string()),
    dnsProvider: z.enum(DNS_PROVIDERS),
  }),
);

const tag = 'Domains and DNS';

export const listDomains = /* @__PURE__ */ route({
  id: 'listDomains',
  method: 'GET',
  path: '/v1/domains',
  access: 'read',
  right: 'member',
  summary: 'List your domains, newest first',
  tag,
  query: () => Page('dom'),
  response: () => list(Domain()),
});

export const getDomain = /* @__PURE__ */ route({
  id: 'getDomain',
  method: 'GET',
  path: '/v1/domains/{id}',
  access: 'read',
  right: 'member',
  summary: 'Read a domain',
  tag,
  params: Id,
  response: () => single(Domain()),
});
