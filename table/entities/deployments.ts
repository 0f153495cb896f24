import * as z from 'zod/mini';
import { DEPLOYMENT_STATUSES, TRIGGERS } from '../../contract/enums.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** An accepted push, by the id of its delivery, so that a redelivered push starts no other deployment. */
export type Push = ItemOf<typeof Push>;
export const Push = /* @__PURE__ */ entity({
  type: 'PUSH',
  schema: () =>
    z.object({
      /** The Git host's id of the delivery. */
      id: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      deploymentId: z.string(),
      createdAt: z.string(),
    }),
  key: ({ applicationId, id }: { applicationId: string; id: string }) => ({
    pk: key('GIT', applicationId, 'PUSH', id),
    sk: 'PUSH',
  }),
  expiresAtEpoch: (item) => epoch(item.createdAt) + 30 * DAY,
});

/** The list of an application's {@link Deployment}s. */
export const deploymentsOf = (applicationId: string) => key('APP', applicationId, 'DEPLOYMENTS');

export type Deployment = ItemOf<typeof Deployment>;
export const Deployment = /* @__PURE__ */ entity({
  type: 'DEPLOYMENT',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      status: oneOf(DEPLOYMENT_STATUSES),
      trigger: oneOf(TRIGGERS),
      commitSha: z.string(),
      startedAt: z.string(),
      finishedAt: z.nullable(z.string()),
      /** Log lines that the platform adds after the log of the build, in the same format (providers/builds/build-log.ts). */
      notes: z.array(z.string()),
      /** The time at which the build was submitted; absent for rollbacks. */
      beganAt: z.optional(z.string()),
      /** CodeBuild's id of the build that was submitted last. */
      buildId: z.optional(z.string()),
      /** The time at which the build finished and its release started. */
      builtAt: z.optional(z.string()),
      /** The duration of the build in milliseconds, without its wait for a builder. */
      buildMs: z.optional(z.number()),
      /** The application host's version number of the release, once it exists. */
      release: z.optional(z.string()),
      /** The last move that brought the release to its cell. */
      movedBy: z.optional(z.string()),
      /** For a rollback: the deployment whose build created the release. */
      builtBy: z.optional(z.string()),
      /** True once the release is being removed. A rollback to it is no longer possible. */
      retired: z.optional(z.literal(true)),
      /** The reason for an operator's cancellation. The stream then stops the execution and the build. */
      cancelled: z.optional(z.string()),
      /** True while another deployment of the application is in progress and this one has not started. */
      waiting: z.optional(z.literal(true)),
      /** The time at which the scheduler admitted it to a builder (domain/deployments/scheduler.ts); absent for rollbacks. */
      admittedAt: z.optional(z.string()),
      /** The time at which its release began to receive traffic. From then on neither a cancellation nor a suspension stops it. */
      switchingAt: z.optional(z.string()),
      /** While its release is queued: the cell of the queue, and the time since which it waits (table/entities/releases.ts). */
      releaseQueue: z.optional(z.looseObject({ cellId: z.string(), since: z.string() })),
      /** While unfinished: the time at which the reconciler checks its execution. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('DEPLOYMENT', id) }),
  list: (item) => ({ listPk: deploymentsOf(item.applicationId), listSk: item.id }),
  due: { queues: ['DEPLOYMENT'] },
});

/** A deployment in its account's queue for a builder. Ids sort by time, so the partition is in order of arrival. */
export type QueuedBuild = ItemOf<typeof QueuedBuild>;
export const QueuedBuild = /* @__PURE__ */ entity({
  type: 'QUEUED_BUILD',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      /** Absent in items of earlier versions. */
      queuedAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: queuedBuildsOf(accountId), sk: id }),
});

/** The partition of an account's {@link QueuedBuild}s. */
export const queuedBuildsOf = (accountId: string): string => key('ACCOUNT', accountId, 'QUEUED_BUILDS');

/**
 * The queue of an account's builds. While a build waits, it is due: immediately, or later if the account already runs its maximum
 * number of concurrent builds.
 */
export type BuildQueue = ItemOf<typeof BuildQueue>;
export const BuildQueue = /* @__PURE__ */ entity({
  type: 'BUILD_QUEUE',
  schema: () => z.object({ accountId: z.string(), waiting: z.int(), dueAt: z.optional(z.string()) }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'BUILD_QUEUE' }),
  due: { queues: ['BUILD_QUEUE'] },
});

/**
 * The deployment whose build waits for a free builder. There is at most one over all accounts, so that no account can fill the queue of
 * the build service.
 */
export type NextBuild = ItemOf<typeof NextBuild>;
export const NextBuild = /* @__PURE__ */ entity({
  type: 'NEXT_BUILD',
  schema: () => z.object({ accountId: z.string(), deploymentId: z.string(), since: z.string() }),
  key: (_: object) => ({ pk: 'NEXT_BUILD', sk: 'NEXT_BUILD' }),
});
