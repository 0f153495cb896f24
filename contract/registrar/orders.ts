import * as z from 'zod/mini';
import { Invoice } from '../billing/invoices.ts';
import { describe, resource, single } from '../envelope.ts';
import { AbsoluteHostName } from '../host-names/host-names.ts';
import { route } from '../route.ts';
import { isCountry } from './countries.ts';

/** A line of an address, as the registrar accepts it. */
const line = () =>
  z.string().check(
    z.trim(),
    z.minLength(1),
    z.maxLength(255),
    z.refine((text) => !/\p{C}/u.test(text), 'must be one line of text'),
  );

/** The domain owner's details (specification, Resources: Registrant). The lengths are those of Route 53 Domains. */
export const Registrant = resource('Registrant', () =>
  z.object({
    name: line(),
    email: z.email('must be an email address').check(z.maxLength(254)),
    contactNumber: z
      .string()
      .check(z.regex(/^\+[1-9]\d{0,2}\.\d{4,14}$/, 'must be +<country code>.<number>, e.g. +27.215551234')),
    address1: line(),
    city: line(),
    province: line(),
    postalCode: line(),
    country: z
      .string()
      .check(z.refine(isCountry, 'must be an ISO 3166 alpha-2 country code, e.g. ZA'))
      .register(z.globalRegistry, { pattern: '^[A-Z]{2}$', examples: ['ZA'] }),
  }),
);

const Nameservers = () =>
  z
    .array(AbsoluteHostName())
    .check(z.minLength(2), z.maxLength(5))
    .check(z.refine((names) => new Set(names).size === names.length, 'must all be different'));

const OrderDomain = () =>
  z.object({
    // domain/registrar/domains.ts checks whether the extension is on sale, because extensions are data.
    domain: z
      .string()
      .check(z.trim(), z.toLowerCase(), z.minLength(1), z.maxLength(253))
      .register(z.globalRegistry, { examples: ['example.co.za'] }),
    years: z._default(z.int().check(z.minimum(1), z.maximum(10)), 1),
    registrant: Registrant(),
    nameservers: z.optional(Nameservers()),
  });

export const orderDomain = /* @__PURE__ */ route({
  id: 'orderDomain',
  method: 'POST',
  path: '/v1/domains',
  access: 'domains',
  right: 'develop',
  audit: 'domain.ordered',
  stoppedBy: ['domain-orders'],
  summary:
    'Order a domain; it is registered once its invoice is paid, which happens from the wallet if the balance suffices',
  tag: 'Domains and DNS',
  body: OrderDomain,
  status: 201,
  response: () =>
    single(
      z.object({
        invoice: Invoice(),
        unpaidReason: describe(
          z.optional(z.string()),
          'Only with an unpaid invoice: the missing amount, and the part of the wallet that is frozen or not available yet',
        ),
      }),
    ),
  uses: ['registrar'],
});
