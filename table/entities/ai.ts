import * as z from 'zod/mini';
import { AI_ENTRY_TYPES } from '../../contract/enums.ts';
import { entity, type ItemOf } from '../entities.ts';
import { joinKey as key } from '../keys.ts';

/**
 * Everything that a call to a model asks of an account, in one item, so that one conditional write decides: AI credits
 * in micro-rand, what running calls hold of them, and the caller's own provider keys.
 */
export type AiAccount = ItemOf<typeof AiAccount>;
export const AiAccount = entity({
  type: 'AI_ACCOUNT',
  schema: () =>
    z.object({
      accountId: z.string(),
      balanceMicroRand: z.int(),
      /** The balance less all holds; below zero where the last hold took more than was left (domain/ai/credits.ts). */
      availableMicroRand: z.int(),
      holds: z.record(z.string(), z.object({ microRand: z.int(), expiresAt: z.string() })),
      /** By provider: sealed, with what may be shown of each. */
      keys: z.record(
        z.string(),
        z.object({
          sealed: z.object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() }),
          lastFour: z.string(),
        }),
      ),
      /** When the first of the holds has expired: then the reconciler looks. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'AI_ACCOUNT' }),
});

/** One line of the ledger of AI credits. Never changed; all of an account's add up to its balance. */
export type AiEntry = ItemOf<typeof AiEntry>;
export const AiEntry = entity({
  type: 'AI_ENTRY',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      requestId: z.nullable(z.string()),
      type: z.enum(AI_ENTRY_TYPES),
      model: z.nullable(z.string()),
      inputTokens: z.int(),
      cachedTokens: z.int(),
      cacheWriteTokens: z.int(),
      outputTokens: z.int(),
      /** What the tokens were counted at: micro-dollars per million of each kind, and rand a dollar. */
      price: z.nullable(z.record(z.string(), z.union([z.number(), z.string()]))),
      /** Whether the tokens are our estimate, because the provider never told. */
      estimated: z.boolean(),
      amountMicroRand: z.int(),
      createdAt: z.string(),
    }),
  key: ({ accountId, id }: { accountId: string; id: string }) => ({
    pk: key('AI_ENTRY', accountId, id),
    sk: 'AI_ENTRY',
  }),
  list: (item) => ({ listPk: key('ACCOUNT', item.accountId, 'AI_ENTRIES'), listSk: item.id }),
});

/** How far an account's ledger of AI credits has been held against its balance. */
export type AiAudit = ItemOf<typeof AiAudit>;
export const AiAudit = entity({
  type: 'AI_AUDIT',
  schema: () => z.object({ accountId: z.string(), upTo: z.string(), sumMicroRand: z.int(), checkAt: z.string() }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'AI_AUDIT' }),
  due: (item) => ({ duePk: 'AI_AUDIT', dueAt: item.checkAt }),
});

/** The models on offer and the price of a dollar, where operators have changed them (domain/ai/models.ts reads it). */
export type AiOffer = ItemOf<typeof AiOffer>;
export const AiOffer = entity({
  type: 'AI_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'AI_OFFER', sk: 'AI_OFFER' }),
});
