import * as z from 'zod/mini';
import { DEPLOYMENT_STATUSES, TRIGGERS } from '../../contract/enums.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** A push that was taken, by its delivery's id: a repeat finds it and deploys nothing more. */
export type Push = ItemOf<typeof Push>;
export const Push = /* @__PURE__ */ entity({
  type: 'PUSH',
  schema: () =>
    z.object({
      /** The Git host's own id of the delivery. */
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
      /**
       * Log lines that the platform adds after the build's own log, in the same format (providers/builds/build-log.ts).
       */
      notes: z.array(z.string()),
      /** Time at which the build was submitted; absent for rollbacks. */
      beganAt: z.optional(z.string()),
      /** CodeBuild's id of the build that was submitted last. */
      buildId: z.optional(z.string()),
      /** Time at which the build was over and its release began. */
      builtAt: z.optional(z.string()),
      /** Duration of the build in milliseconds, without its wait for a builder. */
      buildMs: z.optional(z.number()),
      /** The host's version number of the release, once there is one. */
      release: z.optional(z.string()),
      /** The last move whose new cell the release is in. */
      movedBy: z.optional(z.string()),
      /** Of a rollback: the deployment whose build made the release. */
      builtBy: z.optional(z.string()),
      /** True once the release is being removed: it cannot be rolled back to any more. */
      retired: z.optional(z.literal(true)),
      /** The reason for which an operator cancelled it; the stream stops what runs. */
      cancelled: z.optional(z.string()),
      /** True while another deployment of the application is under way: nothing is started for this one yet. */
      waiting: z.optional(z.literal(true)),
      /** Time at which the scheduler gave it a builder (domain/deployments/scheduler.ts); absent for rollbacks. */
      admittedAt: z.optional(z.string()),
      /** The cell in whose line its release waits, and since when (table/entities/releases.ts); absent while it does not wait. */
      releaseQueue: z.optional(z.looseObject({ cellId: z.string(), since: z.string() })),
      /** While unfinished: the time at which the reconciler checks its execution. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('DEPLOYMENT', id) }),
  list: (item) => ({ listPk: deploymentsOf(item.applicationId), listSk: item.id }),
  due: { queues: ['DEPLOYMENT'] },
});

/** A deployment that waits in its account's line for a builder. Ids sort by time, so the partition is in order of arrival. */
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

/** An account's line of builds. It is due while a build waits in it: at once, or later if the account has its builds at once. */
export type BuildQueue = ItemOf<typeof BuildQueue>;
export const BuildQueue = /* @__PURE__ */ entity({
  type: 'BUILD_QUEUE',
  schema: () => z.object({ accountId: z.string(), waiting: z.int(), dueAt: z.optional(z.string()) }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'BUILD_QUEUE' }),
  due: { queues: ['BUILD_QUEUE'] },
});

/**
 * The deployment whose build waits in front of the builders: there is at most one, so that no account's builds fill the
 * queue of the build service.
 */
export type NextBuild = ItemOf<typeof NextBuild>;
export const NextBuild = /* @__PURE__ */ entity({
  type: 'NEXT_BUILD',
  schema: () => z.object({ accountId: z.string(), deploymentId: z.string(), since: z.string() }),
  key: (_: object) => ({ pk: 'NEXT_BUILD', sk: 'NEXT_BUILD' }),
});
