import * as z from 'zod/mini';
import { AI_CALL_DAYS } from '../../contract/ai/calls.ts';
import { AI_ENTRY_TYPES } from '../../contract/enums.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, object, oneOf, sealed } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { aiEntryPartition } from '../migrations/0003-ai-entry-partition.ts';
import { aiUsagePartition } from '../migrations/0004-ai-usage-partition.ts';

/**
 * Everything that a call to a model asks of an account, in one item, so that one conditional write decides: AI credits
 * in micro-rand, what running calls hold of them, and the caller's own provider keys. Calls are no more than sums here, by
 * the window of time in which they began (`held_<window>`, `calls_<window>`) and ended (`ledger_<window>`;
 * domain/ai/windows.ts), so that the item stays as small with a thousand open calls as with one.
 */
export type AiAccount = ItemOf<typeof AiAccount>;
export const AiAccount = /* @__PURE__ */ entity({
  type: 'AI_ACCOUNT',
  schema: () =>
    z.looseObject({
      accountId: z.string(),
      balanceMicroRand: z.int(),
      /** The balance less all holds; below zero where the last hold took more than was left (domain/ai/credits.ts). */
      availableMicroRand: z.int(),
      /** Owed for calls that cost more than there was. */
      debtMicroRand: z.optional(z.int()),
      /** Calls that have begun and not ended. */
      openCalls: z.optional(z.int()),
      /** The balance has every entry of this window and of those before it. */
      closedWindow: z.optional(z.int()),
      /** Holds of calls of version 0.2.0, by call; empty since. Written because that version requires it. */
      holds: z.record(z.string(), object({ microRand: z.int(), expiresAt: z.string() })),
      /** Calls at once, where operators set another number than contract/limits/limits.ts. */
      callLimit: z.optional(z.int()),
      /** By provider: sealed, with what may be shown of each. */
      keys: z.record(
        z.string(),
        object({
          sealed: sealed(),
          lastFour: z.string(),
        }),
      ),
      /** Time at which the first window closes; the sweep of windows reads it. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'AI_ACCOUNT' }),
  due: { queues: ['AI_ACCOUNT'] },
});

/** The partition of an account's {@link AiEntry}s. */
export const aiEntriesOf = (accountId: string) => key('ACCOUNT', accountId, 'AI_ENTRIES');

/**
 * One line of the ledger of AI credits. Never changed; all of an account's add up to its balance. In no index, so that it is one
 * write.
 */
export type AiEntry = ItemOf<typeof AiEntry>;
export const AiEntry = /* @__PURE__ */ entity({
  type: 'AI_ENTRY',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      requestId: z.nullable(z.string()),
      type: oneOf(AI_ENTRY_TYPES),
      model: z.nullable(z.string()),
      inputTokens: z.int(),
      cachedTokens: z.int(),
      cacheWriteTokens: z.int(),
      outputTokens: z.int(),
      /** Price of the tokens: micro-dollars per million of each kind, and rand per dollar. */
      price: z.nullable(z.record(z.string(), z.union([z.number(), z.string()]))),
      /** True when the tokens are the platform's estimate because the provider reported none. */
      estimated: z.boolean(),
      amountMicroRand: z.int(),
      createdAt: z.string(),
      /** The window of `createdAt`; none for entries made before accounts had windows. */
      window: z.optional(z.int()),
      /** The key of a call, empty for one of a login; none for entries that are no calls, and for calls that were added to `AiUsage` when they ended. */
      keyId: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: aiEntriesOf(accountId), sk: id }),
  migrations: [aiEntryPartition],
});

/**
 * The open calls of one API key, as a sum and by the window in which they began (`calls_<window>`), and what the key spends of
 * its budget, by month (domain/ai/key-budgets.ts). Empty key ids are calls of logins.
 */
export type AiKeyCalls = ItemOf<typeof AiKeyCalls>;
export const AiKeyCalls = /* @__PURE__ */ entity({
  type: 'AI_KEY_CALLS',
  schema: () => z.looseObject({ accountId: z.string(), keyId: z.string(), openCalls: z.int() }),
  key: ({ accountId, keyId }: { accountId: string; keyId: string }) => ({
    pk: key('AI_KEY_CALLS', accountId, keyId),
    sk: 'AI_KEY_CALLS',
  }),
});

/** Sum of the calls of one day on credits, by key and model; written when a window closes (domain/ai/usage-sums.ts). In no index either. */
export type AiUsage = ItemOf<typeof AiUsage>;
export const AiUsage = /* @__PURE__ */ entity({
  type: 'AI_USAGE',
  schema: () =>
    z.object({
      accountId: z.string(),
      /** `2026-11-22`, in UTC. */
      day: z.string(),
      /** Empty for calls of a login. */
      keyId: z.string(),
      model: z.string(),
      calls: z.int(),
      /** Input tokens of all kinds. */
      inputTokens: z.int(),
      outputTokens: z.int(),
      microRand: z.int(),
      /** The sum has the entries of this window and of those before it. */
      throughWindow: z.optional(z.int()),
    }),
  key: ({ accountId, day, keyId, model }: { accountId: string; day: string; keyId: string; model: string }) => ({
    pk: aiUsageOf(accountId),
    sk: key(day, keyId, model),
  }),
  migrations: [aiUsagePartition],
  expiresAtEpoch: ({ day }) => epoch(`${day}T00:00:00.000Z`) + 400 * DAY,
});

/** The partition of an account's usage, by day. */
export const aiUsageOf = (accountId: string) => key('ACCOUNT', accountId, 'AI_USAGE');

/** The state of an account's ledger check: the sum of the entries that are already checked. */
export type AiAudit = ItemOf<typeof AiAudit>;
export const AiAudit = /* @__PURE__ */ entity({
  type: 'AI_AUDIT',
  schema: () => z.object({ accountId: z.string(), upTo: z.string(), sumMicroRand: z.int(), dueAt: z.string() }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'AI_AUDIT' }),
  due: { queues: ['AI_AUDIT'] },
});

/** The models on offer and the price of a dollar, where operators have changed them (domain/ai/models.ts reads it). */
export type AiOffer = ItemOf<typeof AiOffer>;
export const AiOffer = /* @__PURE__ */ entity({
  type: 'AI_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'AI_OFFER', sk: 'AI_OFFER' }),
});

/** The partition of an account's calls. */
export const aiCallsOf = (accountId: string) => key('ACCOUNT', accountId, 'AI_CALLS');

/** One call to a model, for the request log: never any text of it. In no index, so that it is one write. */
export type AiCall = ItemOf<typeof AiCall>;
export const AiCall = /* @__PURE__ */ entity({
  type: 'AI_CALL',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      /** Empty for calls of a login. */
      keyId: z.string(),
      requestId: z.string(),
      createdAt: z.string(),
      model: z.string(),
      provider: z.nullable(z.string()),
      /** True where the caller's own provider key paid. */
      saved: z.boolean(),
      status: z.int(),
      code: z.nullable(z.string()),
      inputTokens: z.int(),
      outputTokens: z.int(),
      amountMicroRand: z.int(),
      durationMs: z.int(),
      firstByteMs: z.nullable(z.int()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: aiCallsOf(accountId), sk: id }),
  expiresAtEpoch: ({ createdAt }) => epoch(createdAt) + AI_CALL_DAYS * DAY,
});
