import * as z from 'zod/mini';
import { CUSTOM_DOMAIN_STATUSES, FRAMEWORKS, NODE_VERSIONS, SUSPENSION_CAUSES } from '../../contract/enums.ts';
import {
  type AccountScopedId,
  DAY,
  entity,
  epoch,
  type ItemOf,
  object,
  oneOf,
  partialRecord,
  sealed,
} from '../entity.ts';
import { joinKey as key, nameListKeys } from '../keys.ts';

/** The custom domain of an application. */
const customDomain = () =>
  object({
    host: z.string(),
    status: oneOf(CUSTOM_DOMAIN_STATUSES),
    /** The value of the TXT record that proves ownership. */
    token: z.string(),
    claimedAt: z.string(),
    checkedAt: z.nullable(z.string()),
    problem: z.optional(z.string()),
    /** For a verified domain: the time at which its proof was first found missing. */
    unprovenSince: z.optional(z.string()),
  });
export type CustomDomain = z.output<ReturnType<typeof customDomain>>;

/** Settings that a build detected in the repository (providers/builds/builds.ts). */
const detected = () =>
  object({
    framework: z.nullable(z.string()),
    packageManager: z.nullable(z.string()),
    nodeVersion: oneOf(NODE_VERSIONS),
    buildCommand: z.nullable(z.string()),
    start: z.nullable(z.string()),
  });

/** The reasons for an application's suspension, by cause. */
const suspensions = () => partialRecord(SUSPENSION_CAUSES, object({ reason: z.string(), since: z.string() }));
export type Suspensions = z.output<ReturnType<typeof suspensions>>;

/** The list of an account's {@link App}s. */
export const appsOf = (accountId: string) => key('ACCOUNT', accountId, 'APPS');

export type App = ItemOf<typeof App>;
export const App = /* @__PURE__ */ entity({
  type: 'APP',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      name: z.string(),
      slug: z.string(),
      framework: oneOf(FRAMEWORKS),
      nodeVersion: oneOf(NODE_VERSIONS),
      repoUrl: z.nullable(z.string()),
      branch: z.string(),
      installCommand: z.string(),
      buildCommand: z.nullable(z.string()),
      startFile: z.string(),
      /** The command that starts the application in place of the start file; absent if there is none. */
      startCommand: z.optional(z.nullable(z.string())),
      /** The application's directory in the repository; absent for the root. */
      rootDirectory: z.optional(z.nullable(z.string())),
      /** True if the owner did not choose the branch. The repository's default branch may then replace it. */
      branchByDefault: z.optional(z.literal(true)),
      /** True if the owner did not choose the Node version. `engines` in package.json may then replace it. */
      nodeVersionByDefault: z.optional(z.literal(true)),
      /** Settings that the last build detected in the repository. */
      detected: z.optional(detected()),
      /** The path of the health check; absent for `/`. */
      healthCheckPath: z.optional(z.string()),
      /** The cell in which it runs; absent for the home cell (domain/apps/cells.ts). */
      cellId: z.optional(z.string()),
      /** The edge cell of its host names; absent if it is the cell in which it runs. */
      edgeCellId: z.optional(z.string()),
      /** The move to another cell in progress (domain/moves/). */
      moveId: z.optional(z.string()),
      /** The cell to which it is being moved, until its visitors are served there. */
      movingTo: z.optional(z.string()),
      /** The cell from which it was moved, until everything of it is removed there. */
      drainingFrom: z.optional(z.string()),
      /** Outside the home cell: the host name that it claimed in the home cell, so that slugs are unique over all cells. */
      slugHost: z.optional(z.string()),
      primaryDomain: z.string(),
      /** The platform's host names that route to the application. Each is claimed by a Host item. */
      hosts: z.array(z.string()),
      /** Claimed by a HostClaim item until it is verified, then by a Host item. */
      customDomain: z.optional(customDomain()),
      status: oneOf(['RUNNING', 'SUSPENDED', 'DELETING']),
      /** The status is SUSPENDED as long as there is a reason here. */
      suspensions: z.optional(suspensions()),
      /** The version of `suspensions`. */
      suspensionVersion: z.optional(z.int()),
      autoDeploy: z.boolean(),
      /** The number of its databases; absent before the first. */
      databaseCount: z.optional(z.int()),
      /** The deployment in progress; there is at most one. */
      activeDeploymentId: z.optional(z.string()),
      /** The newest deployment that succeeded. Its release is live. */
      liveDeploymentId: z.optional(z.string()),
      /** The outcome of the newest finished deployment. */
      lastDeploymentStatus: z.optional(oneOf(['SUCCEEDED', 'FAILED'])),
      /** The deployment that a push queued in the meantime. It becomes the active deployment next. */
      nextDeploymentId: z.optional(z.string()),
      createdAt: z.string(),
      updatedAt: z.string(),
      /** The next check of an unverified custom domain, or of the teardown of a deleted application. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('APP', id) }),
  list: (item) => ({ listPk: appsOf(item.accountId), listSk: item.id }),
  due: { queues: ['CUSTOM_DOMAIN', 'TEARDOWN'] },
});

/** The list of verified custom domains that end in the same two labels as a host, sorted by their reversed names. */
export const verifiedHostsNear = (host: string) => nameListKeys('HOSTS', host);

/** The ownership of a host name by an application: a default address, or a verified custom domain. */
export type Host = ItemOf<typeof Host>;
export const Host = /* @__PURE__ */ entity({
  type: 'HOST',
  schema: () =>
    z.object({
      host: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      /** True if the application was deleted and the name is about to be released. */
      releasing: z.optional(z.boolean()),
      /** For a custom domain: the time of its verification. Absent for default addresses and older items. */
      verifiedAt: z.optional(z.string()),
      /** For a custom domain: the time at which its proof was first found missing. From then on, other accounts may claim it. */
      unprovenSince: z.optional(z.string()),
      /** For a custom domain: the time of the next verification. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ host }: { host: string }) => ({ pk: key('HOST', host), sk: 'HOST' }),
  list: ({ host, verifiedAt }) => (verifiedAt ? verifiedHostsNear(host) : undefined),
  due: { queues: ['OWNERSHIP'] },
});

/** The variables of an application: their names, and their values encrypted together. */
export type EnvSet = ItemOf<typeof EnvSet>;
export const EnvSet = /* @__PURE__ */ entity({
  type: 'ENV',
  schema: () =>
    z.object({
      accountId: z.string(),
      applicationId: z.string(),
      keys: z.array(z.string()),
      sealed: sealed(),
      /** The version of the set, so that only one of two concurrent changes succeeds. */
      version: z.int(),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('ENV', id) }),
});

/** Credentials between an application and its Git host. The item's key has no account, because a push webhook names none. */
export type GitAccess = ItemOf<typeof GitAccess>;
export const GitAccess = /* @__PURE__ */ entity({
  type: 'GIT_ACCESS',
  schema: () =>
    z.object({
      applicationId: z.string(),
      accountId: z.string(),
      /** The secret with which the Git host signs its hooks. */
      hookSecret: sealed(),
      /** The deploy key: its public half in OpenSSH format, its private half encrypted. */
      publicKey: z.string(),
      privateKey: sealed(),
    }),
  key: ({ applicationId }: { applicationId: string }) => ({ pk: key('GIT', applicationId), sk: 'GIT_ACCESS' }),
});

/**
 * A page of an application's runtime log, shared by all its readers (domain/apps/log-store.ts). A position is the time in
 * milliseconds with 15 digits, optionally followed by the rest of a line's id, so that positions sort like the lines.
 */
export type LogPage = ItemOf<typeof LogPage>;
export const LogPage = /* @__PURE__ */ entity({
  type: 'LOG_PAGE',
  schema: () =>
    z.object({
      applicationId: z.string(),
      /** The position after which its lines start. */
      start: z.string(),
      /** The position of its last line, or of a later line of the platform itself; absent if there is neither. */
      end: z.optional(z.string()),
      /** Its lines as gzipped JSON in base64; absent until the first read has finished. */
      lines: z.optional(z.string()),
      /** True if the log had more lines at the time of the read. */
      more: z.optional(z.boolean()),
      /** The time of the last read. */
      at: z.string(),
      /** During a read: the time at which the reader is considered crashed. */
      readingUntil: z.optional(z.string()),
      /** After CloudWatch refused a read: the time before which no other read starts. */
      refusedUntil: z.optional(z.string()),
    }),
  key: ({ applicationId, start }: { applicationId: string; start: string }) => ({
    pk: logPagesOf(applicationId),
    sk: start,
  }),
  expiresAtEpoch: ({ at }) => epoch(at) + DAY,
});

/** The partition of an application's {@link LogPage}s. */
export const logPagesOf = (applicationId: string): string => key('APP', applicationId, 'LOG');
