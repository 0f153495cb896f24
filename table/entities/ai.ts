import * as z from 'zod/mini';
import { AI_CALL_DAYS } from '../../contract/ai/calls.ts';
import { AI_ENTRY_TYPES } from '../../contract/enums.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, object, oneOf, sealed } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { aiEntryPartition } from '../migrations/0003-ai-entry-partition.ts';
import { aiUsagePartition } from '../migrations/0004-ai-usage-partition.ts';

/**
 * The AI credits of an account in micro-rand, the holds of running calls, and the account's provider keys. They are one item, so that
 * one conditional write admits a call. Calls appear only as sums, by the window in which they began (`held_<window>`,
 * `calls_<window>`) and ended (`ledger_<window>`; domain/ai/windows.ts), so the item is as small with a thousand open calls as with
 * one. Each key that has called in the last minutes adds some 80 bytes.
 */
export type AiAccount = ItemOf<typeof AiAccount>;
export const AiAccount = /* @__PURE__ */ entity({
  type: 'AI_ACCOUNT',
  schema: () =>
    z.looseObject({
      accountId: z.string(),
      balanceMicroRand: z.int(),
      /** The balance minus all holds. It is negative if the last hold took more than was available (domain/ai/credits.ts). */
      availableMicroRand: z.int(),
      /** The amount by which calls cost more than the available credits. */
      debtMicroRand: z.optional(z.int()),
      /** Calls that have begun and not ended. `open_<key>` and `calls_<window>_<key>` count those of an API key (domain/ai/key-calls.ts). */
      openCalls: z.optional(z.int()),
      /** The balance includes all entries up to and including this window. */
      closedWindow: z.optional(z.int()),
      /** The holds of version 0.2.0 by call. Empty since then, and still written because that version requires it. */
      holds: z.record(z.string(), object({ microRand: z.int(), expiresAt: z.string() })),
      /** The limit of concurrent calls, if operators set one other than that of contract/limits/limits.ts. */
      callLimit: z.optional(z.int()),
      /** The saved provider keys by provider: encrypted, with the part that may be shown. */
      keys: z.record(
        z.string(),
        object({
          sealed: sealed(),
          lastFour: z.string(),
        }),
      ),
      /** The time at which the first open window closes, for the sweep of windows. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'AI_ACCOUNT' }),
  due: { queues: ['AI_ACCOUNT'] },
});

/** The partition of an account's {@link AiEntry}s. */
export const aiEntriesOf = (accountId: string) => key('ACCOUNT', accountId, 'AI_ENTRIES');

/**
 * An entry in the ledger of AI credits. Entries are immutable, and add up to the account's balance. They are in no index, so that
 * each costs one write.
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
      /** The price of the tokens: micro-dollars per million of each kind, and rand per dollar. */
      price: z.nullable(z.record(z.string(), z.union([z.number(), z.string()]))),
      /** True if the platform estimated the tokens because the provider reported none. */
      estimated: z.boolean(),
      amountMicroRand: z.int(),
      createdAt: z.string(),
      /** The window of `createdAt`; absent for entries from before accounts had windows. */
      window: z.optional(z.int()),
      /**
       * The key of a call; empty for a call by a login. Absent for entries that are not calls, and for calls that were added to
       * `AiUsage` when they ended.
       */
      keyId: z.optional(z.string()),
      /**
       * True for a call whose key has no budget: the close of the window adds the charge to the key's month (domain/ai/key-spending.ts).
       */
      keySumAtClose: z.optional(z.literal(true)),
      /**
       * True for a call whose key has a budget: the call adds the charge to the key's month, and if it crashed before that, the close of the
       * window does. Absent for calls of earlier versions.
       */
      keyRestAtClose: z.optional(z.literal(true)),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: aiEntriesOf(accountId), sk: id }),
  migrations: [aiEntryPartition],
});

/**
 * The spending of an API key by month, and the holds of the running calls of a key with a budget by the window in which they began
 * (domain/ai/key-budgets.ts). The empty key id stands for calls by logins. The type is from the time when the item counted all open calls
 * of a key.
 */
export type AiKeySpending = ItemOf<typeof AiKeySpending>;
export const AiKeySpending = /* @__PURE__ */ entity({
  type: 'AI_KEY_CALLS',
  schema: () =>
    z.looseObject({
      accountId: z.string(),
      keyId: z.string(),
      /** Open calls that hold a part of the budget. Only earlier versions, in which it limited the calls of a key, read it. */
      openCalls: z.int(),
      /** The months include all charges up to and including this window. `added_<window>` is what calls added of a later one. */
      throughWindow: z.optional(z.int()),
    }),
  key: ({ accountId, keyId }: { accountId: string; keyId: string }) => ({
    pk: key('AI_KEY_CALLS', accountId, keyId),
    sk: 'AI_KEY_CALLS',
  }),
});

/** The sum of a day's calls on credits by key and model, written when a window closes (domain/ai/usage-sums.ts). In no index. */
export type AiUsage = ItemOf<typeof AiUsage>;
export const AiUsage = /* @__PURE__ */ entity({
  type: 'AI_USAGE',
  schema: () =>
    z.object({
      accountId: z.string(),
      /** `2026-11-22`, in UTC. */
      day: z.string(),
      /** Empty for calls by a login. */
      keyId: z.string(),
      model: z.string(),
      calls: z.int(),
      /** Input tokens of all kinds. */
      inputTokens: z.int(),
      outputTokens: z.int(),
      microRand: z.int(),
      /** The sum includes all entries up to and including this window. */
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

/** The state of the check of an account's ledger, with the sum of the entries checked so far. */
export type AiAudit = ItemOf<typeof AiAudit>;
export const AiAudit = /* @__PURE__ */ entity({
  type: 'AI_AUDIT',
  schema: () => z.object({ accountId: z.string(), upTo: z.string(), sumMicroRand: z.int(), dueAt: z.string() }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'AI_AUDIT' }),
  due: { queues: ['AI_AUDIT'] },
});

/** The models on offer and the exchange rate of the dollar, if operators have changed them (domain/ai/models.ts). */
export type AiOffer = ItemOf<typeof AiOffer>;
export const AiOffer = /* @__PURE__ */ entity({
  type: 'AI_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'AI_OFFER', sk: 'AI_OFFER' }),
});

/** The partition of an account's calls. */
export const aiCallsOf = (accountId: string) => key('ACCOUNT', accountId, 'AI_CALLS');

/** A call to a model for the request log, without its text. In no index, so that it costs one write. */
export type AiCall = ItemOf<typeof AiCall>;
export const AiCall = /* @__PURE__ */ entity({
  type: 'AI_CALL',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      /** Empty for calls by a login. */
      keyId: z.string(),
      requestId: z.string(),
      createdAt: z.string(),
      model: z.string(),
      provider: z.nullable(z.string()),
      /** True if the caller's own provider key was used instead of credits. */
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
