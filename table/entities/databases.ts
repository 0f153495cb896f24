import * as z from 'zod/mini';
import { DATABASE_STATUSES } from '../../contract/enums.ts';
import { entity, type ItemOf, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

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
      /** The reason why it is FAILED, for its owner. */
      failureReason: z.optional(z.string()),
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
  due: { queues: ['DATABASE'] },
});

export interface DatabaseKey {
  applicationId: string;
  prefix: string;
}
