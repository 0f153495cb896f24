import * as z from 'zod/mini';
import { MEMBER_ROLES } from '../../contract/roles.ts';
import { SCOPES } from '../../contract/route.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { walletVersion } from '../migrations/0001-wallet-version.ts';

/**
 * A login, found by what its issuer calls it (the token's `sub`), the account it opens, and those that it is a member of. Every request made with it
 * writes it (its counters stand beside), so it is in no index.
 */
export type Login = ItemOf<typeof Login>;
export const Login = /* @__PURE__ */ entity({
  type: 'LOGIN',
  schema: () =>
    z.looseObject({
      subject: z.string(),
      accountId: z.string(),
      /** The person's email address and name, as the issuer knew them; absent on older logins. */
      email: z.optional(z.string()),
      name: z.optional(z.string()),
      /** The role in this account; absent for the owner that opened it. */
      role: z.optional(oneOf(MEMBER_ROLES)),
      /** The account's name, kept once there are memberships. */
      accountName: z.optional(z.string()),
      /** Other accounts that the person is a member of, by id. */
      memberships: z.optional(
        z.record(
          z.string(),
          object({
            role: oneOf(MEMBER_ROLES),
            accountName: z.string(),
            suspended: z.optional(z.string()),
            closesAt: z.optional(z.string()),
          }),
        ),
      ),
      /** Number of writes of `role` and `memberships`. A write requires the number that it read. */
      membershipsVersion: z.optional(z.int()),
      /** True once the account lists this login. */
      listed: z.optional(z.literal(true)),
      /** The reason for which the account is suspended. */
      suspended: z.optional(z.string()),
      /** The time at which the account will be deleted: nothing is changed until then. */
      closesAt: z.optional(z.string()),
      /** Sessions that were signed out, by key: the Unix time after which none of their access tokens is valid. */
      endedSessions: z.optional(z.record(z.string(), z.int())),
      /** Number of writes of `endedSessions`. A write requires the number that it read. */
      endedSessionsVersion: z.optional(z.int()),
    }),
  key: ({ subject }: { subject: string }) => ({ pk: key('LOGIN', subject), sk: 'LOGIN' }),
});

export type Account = ItemOf<typeof Account>;
export const Account = /* @__PURE__ */ entity({
  type: 'ACCOUNT',
  schema: () =>
    z.object({
      id: z.string(),
      email: z.string(),
      name: z.string(),
      plan: object({ slug: z.string(), name: z.string(), appLimit: z.int() }),
      /** Limits that operators set for this account (contract/limits/limits.ts). */
      limits: z.optional(z.record(z.string(), z.int())),
      /** Applications that count towards the plan. */
      appCount: z.int(),
      /** Webhook endpoints; absent before the first, as all counters are that follow. */
      webhookCount: z.optional(z.int()),
      /** API keys that are not revoked; absent on accounts whose keys were never counted. */
      keyCount: z.optional(z.int()),
      /** Deployments under way. */
      buildCount: z.optional(z.int()),
      /** The month (`2026-11`) that `buildMinutes` counts, each build rounded up to whole minutes. */
      buildMonth: z.optional(z.string()),
      buildMinutes: z.optional(z.int()),
      databaseCount: z.optional(z.int()),
      /** MiB stored in all databases, as last measured. */
      databaseMib: z.optional(z.int()),
      /** The month (`2026-11`) that `databaseUnits` counts, and the DPUs of all databases in it, as last measured. */
      databaseMonth: z.optional(z.string()),
      databaseUnits: z.optional(z.int()),
      /** Domain orders whose invoice is unpaid. */
      unpaidOrderCount: z.optional(z.int()),
      walletCents: z.int(),
      /** Number of the wallet's transactions. A write of the balance requires the number that it read. */
      walletVersion: z.optional(z.int()),
      /** Charging the saved card when the balance is low. */
      autoTopUp: z.optional(object({ enabled: z.boolean(), thresholdCents: z.int(), amountCents: z.int() })),
      /** The automatic top-up under way; there is at most one. */
      autoTopUpId: z.optional(z.string()),
      /** Number of automatic top-ups ever begun. A write of their history requires the number that it read. */
      autoTopUpCount: z.optional(z.int()),
      /** The automatic top-ups of the last day. */
      autoTopUpHistory: z.optional(z.array(object({ at: z.string(), amountCents: z.int() }))),
      /** The amount of disputed card payments, which cannot be spent; more than the balance if that was spent before. */
      frozenCents: z.optional(z.int()),
      /** Payments of cards that are new to the account, until their money buys everything. */
      newCardHolds: z.optional(z.array(object({ amountCents: z.int(), until: z.string() }))),
      /** A card was refused: no other automatic top-up before this time. */
      noAutoTopUpBefore: z.optional(z.string()),
      /** The card of the last top-up, if it may be charged again. */
      card: z.optional(
        object({ authorization: z.string(), email: z.string(), brand: z.string(), lastFour: z.string() }),
      ),
      createdAt: z.string(),
      /** Subjects of the logins that open the account. */
      logins: z.optional(z.array(z.string())),
      /** Present while operators have suspended the account; its keys and logins hold the reason as well. */
      suspension: z.optional(object({ reason: z.string(), since: z.string() })),
      /** The end of the last suspension: overdue days of an unpaid plan count from then. */
      resumedAt: z.optional(z.string()),
      /** Number of suspensions and their ends. What follows from one requires that there was no other since. */
      suspensionVersion: z.optional(z.int()),
      /** The effects of the last suspension, or of its end, are applied again at this time: lists lag behind. */
      reapplyAt: z.optional(z.string()),
      /** Present while there are more applications than the plan allows (domain/billing/plan-limit.ts). */
      planLimit: z.optional(
        object({
          steps: z.array(object({ appLimit: z.int(), suspendsAt: z.string() })),
          /** All steps until then have been enforced. */
          enforcedUntil: z.string(),
        }),
      ),
      /** Counts changes of `planLimit`. */
      planLimitVersion: z.optional(z.int()),
      /** Present from the request for its deletion on; its keys and logins hold the end of the grace period as well. */
      deletion: z.optional(object({ requestedAt: z.string(), endsAt: z.string() })),
      /** Of a deleted account, without a name: the time until which the law has its records kept, in epoch seconds. */
      expiresAtEpoch: z.optional(z.int()),
      /** The export that is being made; there is at most one. */
      exportId: z.optional(z.string()),
      /** An automatic top-up that is due was held back: it is considered again at this time. */
      topUpAt: z.optional(z.string()),
      /** The earliest of `reapplyAt`, `topUpAt` and the next step of `planLimit`. */
      dueAt: z.optional(z.string()),
    }),
  migrations: [walletVersion],
  due: { queues: ['ACCOUNT'] },
  key: ({ id }: { id: string }) => ({ pk: key('ACCOUNT', id), sk: 'ACCOUNT' }),
});

/** Counters of an account for one day, which the table deletes afterwards. */
export type DailyUsage = ItemOf<typeof DailyUsage>;
export const DailyUsage = /* @__PURE__ */ entity({
  type: 'DAILY_USAGE',
  schema: () =>
    z.object({
      accountId: z.string(),
      /** `2026-11-22`, in UTC. */
      day: z.string(),
      apiKeys: z.optional(z.int()),
      customDomains: z.optional(z.int()),
      certificates: z.optional(z.int()),
      webhookResends: z.optional(z.int()),
      topUps: z.optional(z.int()),
      exports: z.optional(z.int()),
      invitations: z.optional(z.int()),
    }),
  key: ({ accountId, day }: { accountId: string; day: string }) => ({
    pk: key('ACCOUNT', accountId),
    sk: key('DAILY_USAGE', day),
  }),
  expiresAtEpoch: ({ day }) => epoch(`${day}T00:00:00.000Z`) + 3 * DAY,
});

/** The list of an account's API keys. */
export const apiKeysOf = (accountId: string) => key('ACCOUNT', accountId, 'KEYS');

/** An API key as its account sees it; what requests touch are its credentials. */
export type ApiKey = ItemOf<typeof ApiKey>;
export const ApiKey = /* @__PURE__ */ entity({
  type: 'KEY',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      name: z.string(),
      scopes: z.array(oneOf(SCOPES)),
      allowedOrigins: z.array(z.string()),
      expiresAt: z.nullable(z.string()),
      revokedAt: z.nullable(z.string()),
      createdAt: z.string(),
      /** Its public half, which is no secret. */
      publicKey: z.string(),
      /** The first characters of its two halves, by which operators find it; absent on older keys. */
      prefixes: z.optional(object({ secret: z.string(), public: z.string() })),
      /** Present while an operator has suspended this key; its credentials hold the reason as well. */
      suspension: z.optional(object({ reason: z.string(), since: z.string() })),
      /** Monthly budget for AI credits, in micro-rand; its secret half's credential has it too. */
      aiBudgetMicroRand: z.optional(z.int()),
      /** The last four characters of its secret half, by which an owner tells keys apart. */
      lastFour: z.optional(z.string()),
      /** The login that created it and its email address; absent for keys that were opened with the account. */
      createdBy: z.optional(object({ subject: z.string(), email: z.optional(z.string()) })),
      /** Hashes of the key's two halves; each is the key of a credential. */
      hashes: object({ secret: z.string(), public: z.string() }),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('KEY', id) }),
  list: (item) => ({ listPk: apiKeysOf(item.accountId), listSk: item.id }),
});

/**
 * The secret or the public half of an API key, found by the SHA-256 of its text. Every request writes it (its counters
 * stand beside), so it is in no index: that would be two writes more.
 */
export type Credential = ItemOf<typeof Credential>;
export const Credential = /* @__PURE__ */ entity({
  type: 'CREDENTIAL',
  schema: () =>
    z.object({
      hash: z.string(),
      keyId: z.string(),
      accountId: z.string(),
      kind: oneOf(['secret', 'public']),
      scopes: z.array(oneOf(SCOPES)),
      allowedOrigins: z.array(z.string()),
      /** Time of its creation in the dashboard; absent for keys that were opened with the account. */
      createdAt: z.optional(z.string()),
      expiresAt: z.nullable(z.string()),
      revokedAt: z.nullable(z.string()),
      lastUsedAt: z.nullable(z.string()),
      /** The reason for which the account is suspended. */
      suspended: z.optional(z.string()),
      /** The time at which the account will be deleted: nothing is changed until then. */
      closesAt: z.optional(z.string()),
      /** Present where its whole rate is reserved within the account's (runtime/http/account-rate.ts). */
      hasReserve: z.optional(z.literal(true)),
      /** The reason for which this key is suspended. */
      keySuspended: z.optional(z.string()),
      /** Monthly budget of a secret half for AI credits, in micro-rand. */
      aiBudgetMicroRand: z.optional(z.int()),
    }),
  key: ({ hash }: { hash: string }) => ({ pk: key('CREDENTIAL', hash), sk: 'CREDENTIAL' }),
});

/**
 * Counts the requests of all of an account's keys beyond the share of each (runtime/http/account-rate.ts). `limit` is set
 * where operators set another number than contract/limits/limits.ts.
 */
export const AccountRate = /* @__PURE__ */ entity({
  type: 'ACCOUNT_RATE',
  schema: () => z.looseObject({ accountId: z.string(), limit: z.optional(z.int()) }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT_RATE', accountId), sk: 'ACCOUNT_RATE' }),
});

/** Counts the calls from an address that no key identifies. */
export const AnonymousClient = /* @__PURE__ */ entity({
  type: 'VISITOR',
  schema: () => z.looseObject({ address: z.string() }),
  key: ({ address }: { address: string }) => ({ pk: key('VISITOR', address), sk: 'VISITOR' }),
});

/** A remembered answer for an `Idempotency-Key`, sealed under the caller's own key. */
export type IdempotencyRecord = ItemOf<typeof IdempotencyRecord>;
export const IdempotencyRecord = /* @__PURE__ */ entity({
  type: 'ANSWER',
  schema: () =>
    z.object({
      id: z.string(),
      requestHash: z.string(),
      /** Of the same request with its body as canonical JSON; absent in records of earlier versions. */
      canonicalHash: z.optional(z.string()),
      sealed: z.string(),
      createdAt: z.string(),
    }),
  key: ({ id }: { id: string }) => ({ pk: key('ANSWER', id), sk: 'ANSWER' }),
  expiresAtEpoch: (item) => epoch(item.createdAt) + DAY,
});
