import * as z from 'zod/mini';
import { CUSTOM_DOMAIN_STATUSES, DEPLOYMENT_STATUSES, FRAMEWORKS, NODE_VERSIONS, TRIGGERS } from '../contract/enums.ts';
import { SCOPES } from '../contract/route.ts';
import { joinKey as key } from './keys.ts';

/**
 * Every entity with every key and index; those of the AI gateway, of billing, of events and of webhooks have pages of their own
 * beside this one.
 *
 * | index | keys              | projection | for                                                       |
 * | ----- | ----------------- | ---------- | --------------------------------------------------------- |
 * | table | pk, sk            |            | one item by id; account first, so others' items are a 404 |
 * | list  | listPk, listSk    | ALL        | a page of a list, newest first (ids sort by time)         |
 * | order | listPk, listSk    | KEYS_ONLY  | skipping to an offset without reading whole items         |
 * | due   | duePk, dueAt      | KEYS_ONLY  | whatever must happen by a time, found by the reconciler   |
 */
interface Definition<T, K> {
  type: string;
  /** Built when first needed: a function pays for the entities that it uses. */
  schema: () => z.ZodMiniType<T>;
  key(of: K): { pk: string; sk: string };
  /** Where it is listed. */
  list?(item: T): { listPk: string; listSk: string } | undefined;
  /** When something must have happened to it. */
  due?(item: T): { duePk: string; dueAt: string } | undefined;
  /** When the table may forget it, in epoch seconds. */
  expiresAtEpoch?(item: T): number;
}

export interface Entity<T, K> extends Definition<T, K> {
  /** Every item is parsed on read; what the table adds (keys, index attributes) is left out. */
  parse(item: unknown): T;
}

/** What an item of an entity is. */
export type ItemOf<E> = E extends Entity<infer T, infer _> ? T : never;

export function entity<T, K>(definition: Definition<T, K>): Entity<T, K> {
  let schema: z.ZodMiniType<T> | undefined;
  return {
    ...definition,
    parse: (item) => {
      schema ??= definition.schema();
      return schema.parse(item);
    },
  };
}

export const DAY = 86_400;
export const epoch = (iso: string) => Math.floor(Date.parse(iso) / 1000);

export interface OfAccount {
  accountId: string;
  id: string;
}

export type Account = ItemOf<typeof Account>;
export const Account = entity({
  type: 'ACCOUNT',
  schema: () =>
    z.object({
      id: z.string(),
      email: z.string(),
      name: z.string(),
      plan: z.object({ slug: z.string(), name: z.string(), appLimit: z.int() }),
      /** Applications that count towards the plan. */
      appCount: z.int(),
      /** Webhook endpoints; absent before the first. */
      webhookCount: z.optional(z.int()),
      walletCents: z.int(),
      /** How many transactions the wallet has seen: who changes the balance says which of them it has read. */
      walletSerial: z.optional(z.int()),
      /** Charging the saved card when the balance is low. */
      autoTopUp: z.optional(z.object({ enabled: z.boolean(), thresholdCents: z.int(), amountCents: z.int() })),
      /** The automatic top-up under way; there is at most one. */
      autoTopUpId: z.optional(z.string()),
      /** A card was refused: no other automatic top-up before this time. */
      noAutoTopUpBefore: z.optional(z.string()),
      /** The card of the last top-up, if it may be charged again. */
      card: z.optional(
        z.object({ authorization: z.string(), email: z.string(), brand: z.string(), lastFour: z.string() }),
      ),
      createdAt: z.string(),
    }),
  key: ({ id }: { id: string }) => ({ pk: key('ACCOUNT', id), sk: 'ACCOUNT' }),
});

/** An API key as its account sees it; what requests touch are its credentials. */
export type ApiKey = ItemOf<typeof ApiKey>;
export const ApiKey = entity({
  type: 'KEY',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      name: z.string(),
      scopes: z.array(z.enum(SCOPES)),
      allowedOrigins: z.array(z.string()),
      expiresAt: z.nullable(z.string()),
      revokedAt: z.nullable(z.string()),
      createdAt: z.string(),
      /** Its public half, which is no secret. */
      publicKey: z.string(),
      /** Where its two credentials are. */
      hashes: z.object({ secret: z.string(), public: z.string() }),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId), sk: key('KEY', id) }),
  list: (item) => ({ listPk: key('ACCOUNT', item.accountId, 'KEYS'), listSk: item.id }),
});

/**
 * The secret or the public half of an API key, found by the SHA-256 of its text. Every request writes it (its counters
 * stand beside), so it is in no index: that would be two writes more.
 */
export type Credential = ItemOf<typeof Credential>;
export const Credential = entity({
  type: 'CREDENTIAL',
  schema: () =>
    z.object({
      hash: z.string(),
      keyId: z.string(),
      accountId: z.string(),
      kind: z.enum(['secret', 'public']),
      scopes: z.array(z.enum(SCOPES)),
      allowedOrigins: z.array(z.string()),
      expiresAt: z.nullable(z.string()),
      revokedAt: z.nullable(z.string()),
      lastUsedAt: z.nullable(z.string()),
    }),
  key: ({ hash }: { hash: string }) => ({ pk: key('CREDENTIAL', hash), sk: 'CREDENTIAL' }),
});

/** Counts the calls from an address that no key identifies. */
export const Visitor = entity({
  type: 'VISITOR',
  schema: () => z.looseObject({ address: z.string() }),
  key: ({ address }: { address: string }) => ({ pk: key('VISITOR', address), sk: 'VISITOR' }),
});

/** A remembered answer for an `Idempotency-Key`, sealed under the caller's own key. */
export type Answer = ItemOf<typeof Answer>;
export const Answer = entity({
  type: 'ANSWER',
  schema: () =>
    z.object({
      id: z.string(),
      requestHash: z.string(),
      sealed: z.string(),
      createdAt: z.string(),
    }),
  key: ({ id }: { id: string }) => ({ pk: key('ANSWER', id), sk: 'ANSWER' }),
  expiresAtEpoch: (item) => epoch(item.createdAt) + DAY,
});

/** A domain that an application's owner brought along. */
const customDomain = () =>
  z.object({
    host: z.string(),
    status: z.enum(CUSTOM_DOMAIN_STATUSES),
    /** What its owner puts into its DNS as a proof. */
    token: z.string(),
    claimedAt: z.string(),
    checkedAt: z.nullable(z.string()),
    problem: z.optional(z.string()),
    /** While it is not proven: when somebody looks again. */
    checkAt: z.optional(z.string()),
  });
export type CustomDomain = z.output<ReturnType<typeof customDomain>>;
export const checkedAgainAt = (checkAt: string) => ({ duePk: 'CUSTOM_DOMAIN', dueAt: checkAt });

export type App = ItemOf<typeof App>;
export const App = entity({
  type: 'APP',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      name: z.string(),
      slug: z.string(),
      framework: z.enum(FRAMEWORKS),
      nodeVersion: z.enum(NODE_VERSIONS),
      repoUrl: z.nullable(z.string()),
      branch: z.string(),
      installCommand: z.string(),
      buildCommand: z.nullable(z.string()),
      startFile: z.string(),
      primaryDomain: z.string(),
      /** The host names of ours that lead here; each is claimed by a Host item. */
      hosts: z.array(z.string()),
      /** Claimed by a Host item too; it leads here once it is proven. */
      customDomain: z.optional(customDomain()),
      status: z.enum(['RUNNING', 'SUSPENDED', 'DELETING']),
      autoDeploy: z.boolean(),
      /** Its databases; absent before the first. */
      databaseCount: z.optional(z.int()),
      /** The deployment under way; there is at most one. */
      activeDeploymentId: z.optional(z.string()),
      /** The deployment that a push asked for meanwhile: it waits, and is the active one next. */
      nextDeploymentId: z.optional(z.string()),
      createdAt: z.string(),
      updatedAt: z.string(),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId), sk: key('APP', id) }),
  list: (item) => ({ listPk: key('ACCOUNT', item.accountId, 'APPS'), listSk: item.id }),
  due: ({ customDomain }) => (customDomain?.checkAt ? checkedAgainAt(customDomain.checkAt) : undefined),
});

/** A host name belongs to the one application that has this item. */
export type Host = ItemOf<typeof Host>;
export const Host = entity({
  type: 'HOST',
  schema: () =>
    z.object({
      host: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      /** That application was deleted: the name is free in a moment. */
      leaving: z.optional(z.boolean()),
    }),
  key: ({ host }: { host: string }) => ({ pk: key('HOST', host), sk: 'HOST' }),
});

/** An application's variables: their names, and all values sealed together. */
export type EnvSet = ItemOf<typeof EnvSet>;
export const EnvSet = entity({
  type: 'ENV',
  schema: () =>
    z.object({
      accountId: z.string(),
      applicationId: z.string(),
      keys: z.array(z.string()),
      sealed: z.object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() }),
      /** Counts replacements, so that of two racing ones exactly one wins. */
      version: z.int(),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId), sk: key('ENV', id) }),
});

export type Deployment = ItemOf<typeof Deployment>;
export const Deployment = entity({
  type: 'DEPLOYMENT',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      status: z.enum(DEPLOYMENT_STATUSES),
      trigger: z.enum(TRIGGERS),
      commitSha: z.string(),
      startedAt: z.string(),
      finishedAt: z.nullable(z.string()),
      /** What the platform itself has to say after the build's own log, in the same form (providers/builds/build-log.ts). */
      notes: z.array(z.string()),
      /** The host's version number of the release, once there is one. */
      release: z.optional(z.string()),
      /** True once the release is being removed: it cannot be rolled back to any more. */
      retired: z.optional(z.literal(true)),
      /** True while another deployment of the application is under way: nothing is started for this one yet. */
      waiting: z.optional(z.literal(true)),
      /** While unfinished: when the reconciler looks whether its execution is still alive. */
      checkAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId), sk: key('DEPLOYMENT', id) }),
  list: (item) => ({ listPk: key('APP', item.applicationId, 'DEPLOYMENTS'), listSk: item.id }),
  due: (item) => (item.checkAt ? { duePk: 'DEPLOYMENT', dueAt: item.checkAt } : undefined),
});
