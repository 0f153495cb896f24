import * as z from 'zod/mini';
import { describe, resource, wholeList } from '../envelope.ts';
import { route } from '../route.ts';

const rand = () => describe(z.number().check(z.minimum(0)), 'Rand per year, excluding VAT');

/** A domain availability result (specification, Resources: Domain availability result). */
const DomainAvailability = resource('DomainAvailability', () =>
  z.object({ domain: z.string(), available: z.boolean(), premium: z.boolean(), price: rand() }),
);

/** A domain pricing entry (specification, Resources: Domain pricing entry). */
const DomainPricing = resource('DomainPricing', () =>
  z.object({ tld: z.string(), registration: rand(), renewal: rand(), transfer: rand() }),
);

const tag = 'Catalogue';

export const checkDomain = /* @__PURE__ */ route({
  id: 'checkDomain',
  method: 'GET',
  path: '/v1/domains/check',
  access: 'catalogue',
  right: 'member',
  summary: 'Check the availability of a domain, and of the same name in other popular extensions',
  tag,
  query: () =>
    z.object({
      q: z
        .string()
        .check(z.trim(), z.toLowerCase(), z.minLength(1), z.maxLength(253))
        .register(z.globalRegistry, { examples: ['my-shop', 'my-shop.co.za'] }),
    }),
  response: () => wholeList(DomainAvailability()),
  uses: ['registrar'],
});

export const listDomainPrices = /* @__PURE__ */ route({
  id: 'listDomainPrices',
  method: 'GET',
  path: '/v1/domains/pricing',
  access: 'catalogue',
  right: 'member',
  summary: 'List the domain prices of the featured extensions',
  tag,
  response: () => wholeList(DomainPricing()),
});
