import * as z from 'zod/mini';
import { PANEL_STATUSES } from '../../contract/enums.ts';
import { type AccountScopedId, entity, type ItemOf, sealed } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The partition of all hosting servers. */
export const HOSTING_SERVERS = key('HOSTING_SERVERS');

/** A server that web and email hosting lives on: operators' data, changed without a deployment. */
export type HostingServer = ItemOf<typeof HostingServer>;
export const HostingServer = /* @__PURE__ */ entity({
  type: 'HOSTING_SERVER',
  schema: () =>
    z.object({
      name: z.string(),
      /** Its panel's, without a slash at the end. */
      baseUrl: z.string(),
      /** The platform's user on the server, and that user's API token. */
      user: z.string(),
      token: sealed(),
      /** True when new accounts may be placed on the server. */
      open: z.boolean(),
    }),
  key: ({ name }: { name: string }) => ({ pk: HOSTING_SERVERS, sk: name }),
});

/** The account of a hosting subscription on its server; its id is the subscription's. */
export type HostingAccount = ItemOf<typeof HostingAccount>;
export const HostingAccount = /* @__PURE__ */ entity({
  type: 'HOSTING_ACCOUNT',
  schema: () =>
    z.object({
      accountId: z.string(),
      id: z.string(),
      server: z.string(),
      /** Its name on the server. */
      username: z.string(),
      /** Its state there when we last heard of it. */
      status: z.enum(PANEL_STATUSES),
      /** Checks in a row that came to nothing, and what the last one said. */
      failures: z.int(),
      problem: z.optional(z.string()),
      /** The next comparison with its subscription; none once it is removed. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('HOSTING', id) }),
  due: { queues: ['HOSTING'] },
});
