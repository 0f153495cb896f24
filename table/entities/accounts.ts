import * as z from 'zod/mini';
import { MEMBER_ROLES } from '../../contract/roles.ts';
import { SCOPES } from '../../contract/route.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { walletVersion } from '../migrations/0001-wallet-version.ts';

/**
 * A login, found by the issuer's id (the token's `sub`), with its own account and its memberships. Every request of the login writes
 * the item, because it holds the request counters. It is therefore in no index.
 */
export type Login = ItemOf<typeof Login>;
export const Login = /* @__PURE__ */ entity({
  type: 'LOGIN',
  schema: () =>
    z.looseObject({
      subject: z.string(),
      accountId: z.string(),
      /** The person's email address and name from the issuer; absent on older logins. */
      email: z.optional(z.string()),
      name: z.optional(z.string()),
      /** The role in the login's own account; absent for the owner who opened it. */
      role: z.optional(oneOf(MEMBER_ROLES)),
      /** The account's name, stored once there are memberships. */
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
      /** The version of `role` and `memberships`. A write requires the version that it read. */
      membershipsVersion: z.optional(z.int()),
      /** True once the account lists this login. */
      listed: z.optional(z.literal(true)),
      /** The reason for the account's suspension. */
      suspended: z.optional(z.string()),
      /** The time at which the account will be deleted. Until then, nothing may be changed. */
      closesAt: z.optional(z.string()),
      /** Signed-out sessions by key, with the Unix time after which none of their access tokens is valid. */
      endedSessions: z.optional(z.record(z.string(), z.int())),
      /** The version of `endedSessions`. A write requires the version that it read. */
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
      /** Webhook endpoints. Absent before the first one, like all following counters. */
      webhookCount: z.optional(z.int()),
      /** API keys that are not revoked; absent on accounts whose keys were never counted. */
      keyCount: z.optional(z.int()),
      /** Deployments in progress. */
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
      /** The number of the wallet's transactions. A write of the balance requires the number that it read. */
      walletVersion: z.optional(z.int()),
      /** The settings for charging the saved card when the balance is low. */
      autoTopUp: z.optional(object({ enabled: z.boolean(), thresholdCents: z.int(), amountCents: z.int() })),
      /** The automatic top-up in progress; there is at most one. */
      autoTopUpId: z.optional(z.string()),
      /** The number of automatic top-ups ever started. A write of their history requires the number that it read. */
      autoTopUpCount: z.optional(z.int()),
      /** The automatic top-ups of the last day. */
      autoTopUpHistory: z.optional(z.array(object({ at: z.string(), amountCents: z.int() }))),
      /** The amount of disputed card payments, which cannot be spent. It exceeds the balance if the money was already spent. */
      frozenCents: z.optional(z.int()),
      /** Payments with cards that are new to the account, until their money may buy everything (NEW_CARD). */
      newCardHolds: z.optional(z.array(object({ amountCents: z.int(), until: z.string() }))),
      /** The time before which no automatic top-up starts, after a card was refused. */
      noAutoTopUpBefore: z.optional(z.string()),
      /** The card of the last top-up, if it may be charged again. */
      card: z.optional(
        object({ authorization: z.string(), email: z.string(), brand: z.string(), lastFour: z.string() }),
      ),
      createdAt: z.string(),
      /** The subjects of the logins that have access to the account. */
      logins: z.optional(z.array(z.string())),
      /** Present while operators have suspended the account. Its keys and logins store the reason too. */
      suspension: z.optional(object({ reason: z.string(), since: z.string() })),
      /** The end of the last suspension, from which the overdue days of an unpaid plan count. */
      resumedAt: z.optional(z.string()),
      /** The number of suspensions and their ends. The effects of one require that there was no other since. */
      suspensionVersion: z.optional(z.int()),
      /** The time at which the effects of the last suspension, or of its end, are applied again, because lists lag behind. */
      reapplyAt: z.optional(z.string()),
      /** Present while there are more applications than the plan allows (domain/billing/plan-limit.ts). */
      planLimit: z.optional(
        object({
          steps: z.array(object({ appLimit: z.int(), suspendsAt: z.string() })),
          /** The time up to which all steps have been enforced. */
          enforcedUntil: z.string(),
        }),
      ),
      /** The version of `planLimit`. */
      planLimitVersion: z.optional(z.int()),
      /** Present after a request to delete the account. Its keys and logins store the end of the grace period too. */
      deletion: z.optional(object({ requestedAt: z.string(), endsAt: z.string() })),
      /** For a deleted account, which has no name any more: the time until which the law requires its records, in epoch seconds. */
      expiresAtEpoch: z.optional(z.int()),
      /** The export in progress; there is at most one. */
      exportId: z.optional(z.string()),
      /** The time at which a postponed automatic top-up is considered again. */
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

/** An API key for its account. Requests read and write only its credentials. */
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
      /** Its public half, which is not secret. */
      publicKey: z.string(),
      /** The first characters of its two halves, by which operators find it; absent on older keys. */
      prefixes: z.optional(object({ secret: z.string(), public: z.string() })),
      /** Present while an operator has suspended this key. Its credentials store the reason too. */
      suspension: z.optional(object({ reason: z.string(), since: z.string() })),
      /** Monthly budget for AI credits, in micro-rand. The credential of the secret half stores it too. */
      aiBudgetMicroRand: z.optional(z.int()),
      /** The last four characters of its secret half, by which owners tell keys apart. */
      lastFour: z.optional(z.string()),
      /** The login that created it, and its email address; absent for keys that were created with the account. */
      createdBy: z.optional(object({ subject: z.string(), email: z.optional(z.string()) })),
      /** The hashes of the key's two halves. Each is the key of a credential. */
      hashes: object({ secret: z.string(), public: z.string() }),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('KEY', id) }),
  list: (item) => ({ listPk: apiKeysOf(item.accountId), listSk: item.id }),
});

/**
 * The secret or the public half of an API key, found by the SHA-256 of its text. Every request writes the item, because it holds the
 * request counters. It is therefore in no index, which would cost two more writes.
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
      /** The time of its creation in the dashboard; absent for keys that were created with the account. */
      createdAt: z.optional(z.string()),
      expiresAt: z.nullable(z.string()),
      revokedAt: z.nullable(z.string()),
      lastUsedAt: z.nullable(z.string()),
      /** The reason for the account's suspension. */
      suspended: z.optional(z.string()),
      /** The time at which the account will be deleted. Until then, nothing may be changed. */
      closesAt: z.optional(z.string()),
      /** Present if its full rate is reserved within the account's rate (runtime/http/account-rate.ts). */
      hasReserve: z.optional(z.literal(true)),
      /** The reason for this key's suspension. */
      keySuspended: z.optional(z.string()),
      /** Monthly budget of a secret half for AI credits, in micro-rand. */
      aiBudgetMicroRand: z.optional(z.int()),
    }),
  key: ({ hash }: { hash: string }) => ({ pk: key('CREDENTIAL', hash), sk: 'CREDENTIAL' }),
});

/**
 * Counts the requests of an account's keys beyond their shares (runtime/http/account-rate.ts). `limit` is present if operators set a
 * limit other than that of contract/limits/limits.ts.
 */
export const AccountRate = /* @__PURE__ */ entity({
  type: 'ACCOUNT_RATE',
  schema: () => z.looseObject({ accountId: z.string(), limit: z.optional(z.int()) }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT_RATE', accountId), sk: 'ACCOUNT_RATE' }),
});

/** Counts the requests from an address that were made without valid credentials. */
export const AnonymousClient = /* @__PURE__ */ entity({
  type: 'VISITOR',
  schema: () => z.looseObject({ address: z.string() }),
  key: ({ address }: { address: string }) => ({ pk: key('VISITOR', address), sk: 'VISITOR' }),
});

/** The stored response to a request with an `Idempotency-Key`, encrypted with a key derived from the caller's credentials. */
export type IdempotencyRecord = ItemOf<typeof IdempotencyRecord>;
export const IdempotencyRecord = /* @__PURE__ */ entity({
  type: 'ANSWER',
  schema: () =>
    z.object({
      id: z.string(),
      /** The account in which the request acted; absent in records of earlier versions. */
      accountId: z.optional(z.string()),
      requestHash: z.string(),
      /** The hash of the request with its body as canonical JSON; absent in records of earlier versions. */
      canonicalHash: z.optional(z.string()),
      sealed: z.string(),
      createdAt: z.string(),
    }),
  key: ({ id }: { id: string }) => ({ pk: key('ANSWER', id), sk: 'ANSWER' }),
  expiresAtEpoch: (item) => epoch(item.createdAt) + DAY,
});
