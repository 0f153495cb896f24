import * as z from 'zod/mini';
import { DATABASE_ACCESS, DATABASE_STATUSES } from '../../contract/enums.ts';
import { DAY, entity, epoch, type ItemOf, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { measuredDatabases } from '../migrations/0005-measured-databases.ts';

/** The partition of an application's databases. */
export const databasesOf = (applicationId: string) => key('APP', applicationId, 'DATABASES');
/** The list of all of an account's. */
export const databaseListOf = (accountId: string) => key('ACCOUNT', accountId, 'DATABASES');

/** A database of an application. Its variables' prefix is its key: no two of an application share one. */
export type Database = ItemOf<typeof Database>;
export const Database = /* @__PURE__ */ entity({
  type: 'DATABASE',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      name: z.string(),
      prefix: z.string(),
      status: oneOf(DATABASE_STATUSES),
      region: z.string(),
      /** The cluster, once it was asked for, and where it answers. */
      clusterId: z.optional(z.string()),
      host: z.nullable(z.string()),
      /** PostgreSQL's own unless given. */
      port: z.optional(z.int()),
      /** The number of times that its passwords were revoked, and the number that its cluster knows of. */
      generation: z.optional(z.int()),
      appliedGeneration: z.optional(z.int()),
      /** The clients that may open connections, and those that may by the tags of its cluster; all where it is absent. */
      access: z.optional(oneOf(DATABASE_ACCESS)),
      appliedAccess: z.optional(oneOf(DATABASE_ACCESS)),
      /** True from its creation on: what it uses is measured with the other databases of its account. */
      measured: z.optional(z.literal(true)),
      /** DPUs used in a month (`2026-11`) as last measured. */
      unitsMonth: z.optional(z.string()),
      units: z.optional(z.number()),
      /** Storage in bytes as last measured. */
      storageBytes: z.optional(z.number()),
      measuredAt: z.optional(z.string()),
      /** The reason why it is FAILED, for its owner. */
      failureReason: z.optional(z.string()),
      /** True where it certainly has no cluster: none was made, and none is asked for to remove it. */
      unmade: z.optional(z.literal(true)),
      /** True where the account's number of databases counts it. */
      counted: z.optional(z.literal(true)),
      createdAt: z.string(),
      /** While something of its cluster is to be changed: the time at which the reconciler starts another execution. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ applicationId, prefix }: Pick<DatabaseKey, 'applicationId' | 'prefix'>) => ({
    pk: databasesOf(applicationId),
    sk: prefix,
  }),
  list: (item) => ({ listPk: databaseListOf(item.accountId), listSk: item.id }),
  migrations: [measuredDatabases],
  due: { queues: ['DATABASE'] },
});

/** The measurement of all databases of an account (domain/databases/use.ts). Due while the account has databases. */
export type DatabaseUse = ItemOf<typeof DatabaseUse>;
export const DatabaseUse = /* @__PURE__ */ entity({
  type: 'DATABASE_USE',
  schema: () =>
    z.object({
      accountId: z.string(),
      /** Number of writes. The end of a measurement requires the number that it read. */
      version: z.int(),
      /** The DPUs in a month (`2026-11`) of deleted databases that are not measured any more. */
      settledMonth: z.optional(z.string()),
      settledUnits: z.optional(z.number()),
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'DATABASE_USE' }),
  due: { queues: ['DATABASE_USE'] },
});

/** The partition of the databases that an account deleted. */
export const deletedDatabasesOf = (accountId: string) => key('ACCOUNT', accountId, 'DELETED_DATABASES');

/** The cluster of a deleted database, until its last values are measured: what it used counts until the month ends. */
export type DeletedDatabase = ItemOf<typeof DeletedDatabase>;
export const DeletedDatabase = /* @__PURE__ */ entity({
  type: 'DELETED_DATABASE',
  schema: () =>
    z.object({ accountId: z.string(), clusterId: z.string(), /** The time of its deletion. */ at: z.string() }),
  key: ({ accountId, clusterId }: { accountId: string; clusterId: string }) => ({
    pk: deletedDatabasesOf(accountId),
    sk: clusterId,
  }),
  expiresAtEpoch: ({ at }) => epoch(at) + 33 * DAY,
});

export interface DatabaseKey {
  applicationId: string;
  prefix: string;
}
