import * as z from 'zod/mini';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The partition of all lookups with a text. */
export const lookupsOf = (text: string) => key('LOOKUP', text.toLowerCase());

/**
 * A text by which operators find an account: an email address, the id of one of its resources, or the first characters of a key. The
 * stream adds it after the resource is created, so that no request waits for it.
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
      /** For a request: the API key or login that made it; absent in items of earlier versions. */
      by: z.optional(z.string()),
      /** For numerous kinds: the time after which the table deletes it. */
      expiresAtEpoch: z.optional(z.int()),
    }),
  // The sort key includes the id, so that it differs for two resources of an account.
  key: ({ text, accountId, id }: AccountScopedId & { text: string }) => ({
    pk: lookupsOf(text),
    sk: key('LOOKUP', accountId, id),
  }),
});

/** The list of an account's failed requests. */
export const failedRequestsOf = (accountId: string) => key('ACCOUNT', accountId, 'FAILED_REQUESTS');
const KEPT_DAYS = 14;

/** A refused or failed request, for operators who are asked about it. */
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
      /** The API key or login that made it, and the client's address; absent in items of earlier versions. */
      by: z.optional(z.string()),
      address: z.optional(z.string()),
    }),
  key: ({ requestId }: { requestId: string }) => ({ pk: key('REQUEST', requestId), sk: 'FAILED_REQUEST' }),
  list: ({ accountId, at, requestId }) => ({ listPk: failedRequestsOf(accountId), listSk: key(at, requestId) }),
  expiresAtEpoch: ({ at }) => epoch(at) + KEPT_DAYS * DAY,
});
