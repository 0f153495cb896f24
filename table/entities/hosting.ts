import * as z from 'zod/mini';
import { PANEL_STATUSES } from '../../contract/enums.ts';
import { entity, type ItemOf, type OfAccount } from '../entities.ts';
import { joinKey as key } from '../keys.ts';

const sealed = () => z.object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() });

/** The partition of all hosting servers. */
export const HOSTING_SERVERS = key('HOSTING_SERVERS');

/** A server that web and email hosting lives on: operators' data, changed without a deployment. */
export type HostingServer = ItemOf<typeof HostingServer>;
export const HostingServer = entity({
  type: 'HOSTING_SERVER',
  schema: () =>
    z.object({
      name: z.string(),
      /** Its panel's, without a slash at the end. */
      baseUrl: z.string(),
      /** Who we are there, and the API token of that user. */
      user: z.string(),
      token: sealed(),
      /** Whether new accounts go there. */
      open: z.boolean(),
    }),
  key: ({ name }: { name: string }) => ({ pk: HOSTING_SERVERS, sk: name }),
});

/** The account of a hosting subscription on its server; its id is the subscription's. */
export type HostingAccount = ItemOf<typeof HostingAccount>;
export const HostingAccount = entity({
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
      /** When somebody looks whether the account is as its subscription says; never again once it is removed. */
      checkAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId), sk: key('HOSTING', id) }),
  due: (item) => (item.checkAt ? { duePk: 'HOSTING', dueAt: item.checkAt } : undefined),
});
