import * as z from 'zod/mini';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The partition of everything that a text identifies. */
export const lookupsOf = (text: string) => key('LOOKUP', text.toLowerCase());

/**
 * A text by which operators find an account: an email address, the id of one of its resources, or the beginning of a key. The
 * stream adds it when the resource is created, so that no request waits for it.
 */
export type Lookup = ItemOf<typeof Lookup>;
export const Lookup = /* @__PURE__ */ entity({
  type: 'LOOKUP',
  schema: () =>
    z.object({
      text: z.string(),
      kind: z.string(),
      accountId: z.string(),
      id: z.string(),
      /** Of a request: the API key or login that made it; absent in items of earlier versions. */
      by: z.optional(z.string()),
      /** Of what is many: the table deletes it after this. */
      expiresAtEpoch: z.optional(z.int()),
    }),
  // The id last: the sort key must not be the same for two resources.
  key: ({ text, accountId, id }: AccountScopedId & { text: string }) => ({
    pk: lookupsOf(text),
    sk: key('LOOKUP', accountId, id),
  }),
});

/** The list of an account's failed requests. */
export const failedRequestsOf = (accountId: string) => key('ACCOUNT', accountId, 'FAILED_REQUESTS');
const KEPT_DAYS = 14;

/** A request that was refused or failed, for the operators who are asked about it. */
export type FailedRequest = ItemOf<typeof FailedRequest>;
export const FailedRequest = /* @__PURE__ */ entity({
  type: 'FAILED_REQUEST',
  schema: () =>
    z.object({
      requestId: z.string(),
      accountId: z.string(),
      operation: z.string(),
      status: z.int(),
      code: z.string(),
      message: z.string(),
      at: z.string(),
      /** The API key or login that made it, and the address that it came from; absent in items of earlier versions. */
      by: z.optional(z.string()),
      address: z.optional(z.string()),
    }),
  key: ({ requestId }: { requestId: string }) => ({ pk: key('REQUEST', requestId), sk: 'FAILED_REQUEST' }),
  list: ({ accountId, at, requestId }) => ({ listPk: failedRequestsOf(accountId), listSk: key(at, requestId) }),
  expiresAtEpoch: ({ at }) => epoch(at) + KEPT_DAYS * DAY,
});
