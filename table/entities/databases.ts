import * as z from 'zod/mini';
import { DATABASE_ACCESS, DATABASE_STATUSES } from '../../contract/enums.ts';
import { DAY, entity, epoch, type ItemOf, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { measuredDatabases } from '../migrations/0005-measured-databases.ts';

/** The partition of an application's databases. */
export const databasesOf = (applicationId: string) => key('APP', applicationId, 'DATABASES');
/** The list of all databases of an account. */
export const databaseListOf = (accountId: string) => key('ACCOUNT', accountId, 'DATABASES');

/** A database of an application. Its key is the prefix of its variables, which is therefore unique in the application. */
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
      /** The cluster, once it has been requested, and its host name and port. */
      clusterId: z.optional(z.string()),
      host: z.nullable(z.string()),
      /** Default: PostgreSQL's port. */
      port: z.optional(z.int()),
      /** The number of times that its passwords were revoked, and the number that has been applied to its cluster. */
      generation: z.optional(z.int()),
      appliedGeneration: z.optional(z.int()),
      /** The clients that may open connections, and the setting that has been applied to its cluster; absent for ALL. */
      access: z.optional(oneOf(DATABASE_ACCESS)),
      appliedAccess: z.optional(oneOf(DATABASE_ACCESS)),
      /** True from its creation on: its use is measured together with the account's other databases. */
      measured: z.optional(z.literal(true)),
      /** DPUs used in a month (`2026-11`) as last measured. */
      unitsMonth: z.optional(z.string()),
      units: z.optional(z.number()),
      /** Storage in bytes as last measured. */
      storageBytes: z.optional(z.number()),
      measuredAt: z.optional(z.string()),
      /** The reason for the status FAILED, for its owner. */
      failureReason: z.optional(z.string()),
      /** True if it certainly has no cluster, because none was created. Its removal then does not look for one. */
      unmade: z.optional(z.literal(true)),
      /** True if the account's number of databases includes it. */
      counted: z.optional(z.literal(true)),
      createdAt: z.string(),
      /** While a change of its cluster is pending: the time at which the reconciler starts another execution. */
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
      /** The version of the item. The end of a measurement requires the version that it read. */
      version: z.int(),
      /** The DPUs in a month (`2026-11`) of deleted databases that are no longer measured. */
      settledMonth: z.optional(z.string()),
      settledUnits: z.optional(z.number()),
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'DATABASE_USE' }),
  due: { queues: ['DATABASE_USE'] },
});

/** The partition of the databases that an account deleted. */
export const deletedDatabasesOf = (accountId: string) => key('ACCOUNT', accountId, 'DELETED_DATABASES');

/** The cluster of a deleted database, until its last values are measured. Its use counts until the end of the month. */
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
