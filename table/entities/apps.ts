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

/** A domain that an application's owner brought along. */
const customDomain = () =>
  object({
    host: z.string(),
    status: oneOf(CUSTOM_DOMAIN_STATUSES),
    /** The value of the TXT record that proves ownership. */
    token: z.string(),
    claimedAt: z.string(),
    checkedAt: z.nullable(z.string()),
    problem: z.optional(z.string()),
    /** Of a verified domain: when its proof was first found missing. */
    unprovenSince: z.optional(z.string()),
  });
export type CustomDomain = z.output<ReturnType<typeof customDomain>>;

/** Findings of a build in the repository (providers/builds/builds.ts). */
const detected = () =>
  object({
    framework: z.nullable(z.string()),
    packageManager: z.nullable(z.string()),
    nodeVersion: oneOf(NODE_VERSIONS),
    buildCommand: z.nullable(z.string()),
    start: z.nullable(z.string()),
  });

/** The reasons for which an application is suspended, by cause. */
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
      /** Starts the application in place of the start file; absent for none. */
      startCommand: z.optional(z.nullable(z.string())),
      /** The application's directory in the repository; absent for the repository itself. */
      rootDirectory: z.optional(z.nullable(z.string())),
      /** True while the owner did not choose the branch: the repository's default branch may take its place. */
      branchByDefault: z.optional(z.literal(true)),
      /** True while the owner did not choose the version of Node: `engines` of package.json may. */
      nodeVersionByDefault: z.optional(z.literal(true)),
      /** Findings of the last build in the repository. */
      detected: z.optional(detected()),
      /** The path that a release is checked on; absent for `/`. */
      healthCheckPath: z.optional(z.string()),
      /** The hosting cell that it runs in; absent for the home cell (domain/apps/cells.ts). */
      cellId: z.optional(z.string()),
      /** The cell of its host names; absent where it is the one that it runs in. */
      edgeCellId: z.optional(z.string()),
      /** The move to another cell that is under way (domain/moves/). */
      moveId: z.optional(z.string()),
      /** The cell that it is being moved to, until its visitors are served there. */
      movingTo: z.optional(z.string()),
      /** The cell that it was moved from, until nothing of it is left there. */
      drainingFrom: z.optional(z.string()),
      /** Outside the home cell: the host name there that it claimed, so that slugs are unique over all cells. */
      slugHost: z.optional(z.string()),
      primaryDomain: z.string(),
      /** The host names of ours that lead here; each is claimed by a Host item. */
      hosts: z.array(z.string()),
      /** Claimed by a HostClaim until it is verified, by a Host item from then on. */
      customDomain: z.optional(customDomain()),
      status: oneOf(['RUNNING', 'SUSPENDED', 'DELETING']),
      /** SUSPENDED as long as there is a reason. */
      suspensions: z.optional(suspensions()),
      /** Counts changes of `suspensions`. */
      suspensionVersion: z.optional(z.int()),
      autoDeploy: z.boolean(),
      /** Its databases; absent before the first. */
      databaseCount: z.optional(z.int()),
      /** The deployment under way; there is at most one. */
      activeDeploymentId: z.optional(z.string()),
      /** The newest deployment that succeeded: its release serves. */
      liveDeploymentId: z.optional(z.string()),
      /** The outcome of the newest deployment that is over. */
      lastDeploymentStatus: z.optional(oneOf(['SUCCEEDED', 'FAILED'])),
      /** The deployment that a push asked for meanwhile: it waits, and is the active one next. */
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

/** The list of verified custom domains that end in the same two labels as a host, by their reversed names. */
export const verifiedHostsNear = (host: string) => nameListKeys('HOSTS', host);

/** A host name belongs to the one application that has this item: a default address, or a verified custom domain. */
export type Host = ItemOf<typeof Host>;
export const Host = /* @__PURE__ */ entity({
  type: 'HOST',
  schema: () =>
    z.object({
      host: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      /** That application was deleted: the name is free in a moment. */
      releasing: z.optional(z.boolean()),
      /** Of a custom domain: when its ownership was verified. Absent for default addresses and items of before. */
      verifiedAt: z.optional(z.string()),
      /** Of a custom domain: when its proof was first found missing. Other accounts may claim it from then on. */
      unprovenSince: z.optional(z.string()),
      /** Of a custom domain: the next verification. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ host }: { host: string }) => ({ pk: key('HOST', host), sk: 'HOST' }),
  list: ({ host, verifiedAt }) => (verifiedAt ? verifiedHostsNear(host) : undefined),
  due: { queues: ['OWNERSHIP'] },
});

/** An application's variables: their names, and all values sealed together. */
export type EnvSet = ItemOf<typeof EnvSet>;
export const EnvSet = /* @__PURE__ */ entity({
  type: 'ENV',
  schema: () =>
    z.object({
      accountId: z.string(),
      applicationId: z.string(),
      keys: z.array(z.string()),
      sealed: sealed(),
      /** Counts replacements, so that of two racing ones exactly one wins. */
      version: z.int(),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('ENV', id) }),
});

/** Credentials between an application and its Git host. The key has no account, because a push hook names none. */
export type GitAccess = ItemOf<typeof GitAccess>;
export const GitAccess = /* @__PURE__ */ entity({
  type: 'GIT_ACCESS',
  schema: () =>
    z.object({
      applicationId: z.string(),
      accountId: z.string(),
      /** The secret that signs the Git host's hooks. */
      hookSecret: sealed(),
      /** The deploy key: the public half as OpenSSH writes it, the private one sealed. */
      publicKey: z.string(),
      privateKey: sealed(),
    }),
  key: ({ applicationId }: { applicationId: string }) => ({ pk: key('GIT', applicationId), sk: 'GIT_ACCESS' }),
});

/**
 * A page of an application's run-time log, which all its viewers read (domain/apps/log-store.ts). Positions are the time in
 * milliseconds with 15 digits, or that and the rest of a line's id, so that they sort as the lines do.
 */
export type LogPage = ItemOf<typeof LogPage>;
export const LogPage = /* @__PURE__ */ entity({
  type: 'LOG_PAGE',
  schema: () =>
    z.object({
      applicationId: z.string(),
      /** The position behind which its lines are. */
      start: z.string(),
      /** The position of its last line, or of one of the platform's own behind it; absent while there is neither. */
      end: z.optional(z.string()),
      /** Its lines, gzipped JSON in base64; absent before the first read is over. */
      lines: z.optional(z.string()),
      /** True where the log had more lines at the time. */
      more: z.optional(z.boolean()),
      /** Time at which it was read last. */
      at: z.string(),
      /** While it is being read: the time at which the reader is given up. */
      readingUntil: z.optional(z.string()),
      /** After a read that CloudWatch refused: the time until which no other is begun. */
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
