import * as z from 'zod/mini';
import { AUDIT_PARTITION, AUDIT_RETENTION_DAYS } from '../../contract/audit/actions.ts';
import { AUDIT_ACTORS } from '../../contract/audit/entry.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The partition of an account's entries. */
export const auditOf = (accountId: string) => key(AUDIT_PARTITION, accountId);
/** The list of all entries of operators, over all accounts. */
export const AUDIT_OF_OPERATORS = key(AUDIT_PARTITION, 'OPERATORS');

const values = () => z.nullable(z.record(z.string(), z.unknown()));

/**
 * An entry of the audit log, which is never changed. Lists read the partition itself, so that an entry costs no index write, except
 * for entries of operators.
 */
export type AuditEntry = ItemOf<typeof AuditEntry>;
export const AuditEntry = /* @__PURE__ */ entity({
  type: 'AUDIT',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      /** An action of contract/audit/actions.ts, or an action of an older or newer version. */
      action: z.string(),
      actor: object({
        kind: oneOf(AUDIT_ACTORS),
        id: z.nullable(z.string()),
        /** The email address of the login at that time; absent if it was unknown. */
        name: z.optional(z.string()),
      }),
      subjectId: z.nullable(z.string()),
      before: values(),
      after: values(),
      address: z.nullable(z.string()),
      requestId: z.nullable(z.string()),
      /** The reason that an operator gave, which customers are not shown. */
      reason: z.optional(z.string()),
      createdAt: z.string(),
    }),
  // Ids sort by time.
  key: ({ accountId, id }: AccountScopedId) => ({ pk: auditOf(accountId), sk: id }),
  list: ({ actor, id }) => (actor.kind === 'OPERATOR' ? { listPk: AUDIT_OF_OPERATORS, listSk: id } : undefined),
  expiresAtEpoch: ({ createdAt }) => epoch(createdAt) + AUDIT_RETENTION_DAYS * DAY,
});
