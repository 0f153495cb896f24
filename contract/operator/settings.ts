import * as z from 'zod/mini';
import { describe, Id, single } from '../envelope.ts';
import { Registrant } from '../registrar/orders.ts';
import { route } from '../route.ts';
import { OPERATOR_TAG } from './accounts.ts';
import { Identifier, Reason, text } from './actions.ts';

/** Operations with which operators change the offers, hosting servers, and an account's hosting and domains. */

const access = 'operator';
const tag = OPERATOR_TAG;

const OFFERS = ['ai', 'domains', 'plans'] as const;

export const setOffer = /* @__PURE__ */ route({
  id: 'setOffer',
  method: 'PUT',
  path: '/operator/v1/offers/{name}',
  access,
  audit: 'plans.set',
  summary:
    'Set the plans, the AI models or the domain prices on offer; null restores the built-in value of a part, {} the whole built-in offer',
  tag,
  params: () => z.object({ name: z.enum(OFFERS) }),
  // The domain function validates each offer with its own schema (docs/deploying.md).
  body: () => z.object({ ...Reason(), offer: z.record(z.string(), z.unknown()) }),
  response: () => single(z.record(z.string(), z.unknown())),
});

const REQUIRED_FOR_NEW = 'Required for a new server';

export const saveHostingServer = /* @__PURE__ */ route({
  id: 'saveHostingServer',
  method: 'PUT',
  path: '/operator/v1/hosting-servers/{name}',
  access,
  audit: 'hosting-server.set',
  summary: 'Add or update a server for web and email hosting; omitted fields of an existing server stay unchanged',
  tag,
  params: () => z.object({ name: Identifier() }),
  body: () =>
    z.object({
      ...Reason(),
      baseUrl: describe(z.optional(text(2048)), REQUIRED_FOR_NEW),
      address: describe(z.optional(text(15)), 'IPv4 address of its websites, shown to the owners of hosted domains'),
      mailHost: describe(z.optional(text(253)), 'Host name of its mail server, shown to the owners of hosted domains'),
      user: describe(z.optional(text(64)), REQUIRED_FOR_NEW),
      token: describe(z.optional(text(4096)), REQUIRED_FOR_NEW),
      open: describe(z.optional(z.boolean()), REQUIRED_FOR_NEW),
    }),
  uses: ['new-server-token'],
  response: () =>
    single(
      z.object({
        name: z.string(),
        baseUrl: z.string(),
        address: z.optional(z.string()),
        mailHost: z.optional(z.string()),
        user: z.string(),
        open: z.boolean(),
      }),
    ),
});

export const moveHostingAccount = /* @__PURE__ */ route({
  id: 'moveHostingAccount',
  method: 'PUT',
  path: '/operator/v1/accounts/{id}/hosting/{subscriptionId}/server',
  access,
  audit: 'hosting.moved',
  summary: 'Record the server to which a hosting account was moved',
  tag,
  params: () => z.extend(Id(), { subscriptionId: Identifier() }),
  body: () => z.object({ ...Reason(), server: Identifier() }),
  response: () => single(z.object({ id: z.string(), server: z.string() })),
});

export const adoptCustomerDomain = /* @__PURE__ */ route({
  id: 'adoptCustomerDomain',
  method: 'POST',
  path: '/operator/v1/accounts/{id}/domains',
  access,
  audit: 'domain.adopted',
  summary: 'Assign a domain that is already at the registrar to an account',
  tag,
  params: Id,
  body: () =>
    z.object({
      ...Reason(),
      domain: z.string().check(z.trim(), z.toLowerCase(), z.maxLength(253)),
      registrant: Registrant(),
      records: z._default(z.array(z.record(z.string(), z.unknown())).check(z.maxLength(90)), []),
    }),
  uses: ['adoption', 'edge-endpoint'],
  status: 201,
  response: () => single(z.object({ domainId: z.string() })),
});
