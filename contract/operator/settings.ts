import * as z from 'zod/mini';
import { describe, Id, single } from '../envelope.ts';
import { Registrant } from '../registrar/orders.ts';
import { route } from '../route.ts';
import { OPERATOR_TAG } from './accounts.ts';
import { Identifier, Reason, text } from './acts.ts';

/** Operations with which operators change what is on sale, and what an account has on servers and at the registrar. */

const access = 'operator';
const tag = OPERATOR_TAG;

export const OFFERS = ['ai', 'domains', 'plans'] as const;

export const setOffer = /* @__PURE__ */ route({
  id: 'setOffer',
  method: 'PUT',
  path: '/operator/v1/offers/{name}',
  access,
  audit: 'plans.set',
  summary:
    'Set the plans, the AI models or the prices of domains on sale; null restores the built-in value of a part, {} the whole offer',
  tag,
  params: () => z.object({ name: z.enum(OFFERS) }),
  // Each offer has a schema of its own, which the rules check (docs/deploying.md).
  body: () => z.object({ ...Reason(), offer: z.record(z.string(), z.unknown()) }),
  response: () => single(z.record(z.string(), z.unknown())),
});

const NEEDED = 'Required for a new server';

export const saveHostingServer = /* @__PURE__ */ route({
  id: 'saveHostingServer',
  method: 'PUT',
  path: '/operator/v1/hosting-servers/{name}',
  access,
  audit: 'hosting-server.set',
  summary: 'Add or change a server for web and email hosting; what is not given of a known one stays',
  tag,
  params: () => z.object({ name: Identifier() }),
  body: () =>
    z.object({
      ...Reason(),
      baseUrl: describe(z.optional(text(2048)), NEEDED),
      address: describe(z.optional(text(15)), 'IPv4 address of its websites, which owners of hosted domains are shown'),
      mailHost: describe(z.optional(text(253)), 'Name of its mail server, which they are shown'),
      user: describe(z.optional(text(64)), NEEDED),
      token: describe(z.optional(text(4096)), NEEDED),
      open: describe(z.optional(z.boolean()), NEEDED),
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
