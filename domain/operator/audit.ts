import type { listOperatorAudit as ListRoute } from '../../contract/operator/accounts.ts';
import type { Input, Output } from '../../contract/route.ts';
import { AUDIT_OF_OPERATORS, AuditEntry, auditOf } from '../../table/entities/audit.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody, readPage } from '../pages.ts';

function view(entry: AuditEntry): Output<typeof ListRoute>['data'][number] {
  const {
    id,
    accountId,
    action,
    actor,
    subjectId,
    before,
    after,
    address,
    requestId,
    reason = null,
    createdAt,
  } = entry;
  return {
    id,
    accountId,
    action,
    actor: { kind: actor.kind, id: actor.id, name: actor.name ?? null },
    subjectId,
    before,
    after,
    address,
    requestId,
    reason,
    createdAt,
  };
}

/** GET /operator/v1/audit. Records the read of an account's log, but not of the operators' log. */
export async function listOperatorAudit(
  deps: Deps,
  _: Caller,
  { accountId, limit, offset, cursor }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  if (accountId === undefined) {
    return pageBody(await deps.table.list(AuditEntry, AUDIT_OF_OPERATORS, { limit, offset, cursor }), view);
  }
  const entries = deps.table.newest(AuditEntry, auditOf(accountId), { before: cursor, pageSize: offset + limit + 1 });
  const output = pageBody(await readPage(entries, { limit, offset }), view);
  return await deps.commit([], output, { action: 'audit.read', accountId: NO_ACCOUNT, subjectId: accountId });
}
