import * as z from 'zod/mini';
import type { listAuditEntries as ListRoute } from '../../contract/audit/audit.ts';
import type { Input, Output } from '../../contract/route.ts';
import { AUDIT_OF_OPERATORS, AuditEntry, auditOf } from '../../table/entities/audit.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody, readPage } from '../pages.ts';
import { NO_ACCOUNT } from './record.ts';

/** Maximum number of entries that one request reads, including those that its filter excludes: about 10 MB. */
const MAX_READ = 20_000;
/** Entries per round trip of a filtered list, which excludes most of them. */
const FILTERED_PAGE_SIZE = 1000;

/** Returns an entry as its account sees it. */
export function viewAuditEntry(entry: AuditEntry): Output<typeof ListRoute>['data'][number] {
  const { id, action, actor, subjectId, before, after, address, requestId, createdAt } = entry;
  // Customers do not see which operator made a change, or from where.
  const isOperator = actor.kind === 'OPERATOR';
  const where = isOperator ? { address: null, requestId: null } : { address, requestId };
  return {
    id,
    action,
    actor: { kind: actor.kind, id: isOperator ? null : actor.id, name: (!isOperator && actor.name) || null },
    subjectId,
    before,
    after,
    ...where,
    createdAt,
  };
}

const matches =
  ({ action, actor, about }: Pick<Input<typeof ListRoute>, 'action' | 'actor' | 'about'>) =>
  (entry: AuditEntry): boolean =>
    (action === undefined || entry.action === action) &&
    (actor === undefined || entry.actor.kind === actor) &&
    // The view has no operator: the filter must not tell customers which one made a change either.
    (about === undefined || entry.subjectId === about || viewAuditEntry(entry).actor.id === about);

/** GET /dashboard/v1/audit. Throws 400 if a request skips more matching entries than it may read. */
export async function listAuditEntries(
  deps: Deps,
  { accountId }: Caller,
  { limit, offset, cursor, ...filter }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const pageSize = isFiltered ? FILTERED_PAGE_SIZE : Math.min(offset + limit + 1, FILTERED_PAGE_SIZE);
  const entries = deps.table.newest(AuditEntry, auditOf(accountId), { before: cursor, pageSize });
  const page = await readPage(entries, { limit, offset }, { isWanted: matches(filter), maxRead: MAX_READ });
  return pageBody(page, viewAuditEntry);
}

/** Input of operators. Without an account, lists the operators' entries. `cursor` is the id of the previous page's last entry. */
export const AuditInput = () =>
  z.strictObject({
    accountId: z.optional(z.string().check(z.minLength(1))),
    limit: z._default(z.int().check(z.minimum(1), z.maximum(1000)), 100),
    cursor: z.optional(z.string().check(z.minLength(1))),
  });

/** Lists entries for operators, newest first, with all fields. Reading an account's entries is itself recorded in the operators' log. */
export async function listForOperators(
  deps: Deps,
  { accountId, limit, cursor }: z.output<ReturnType<typeof AuditInput>>,
): Promise<{ entries: AuditEntry[] }> {
  if (accountId === undefined) {
    const { items } = await deps.table.list(AuditEntry, AUDIT_OF_OPERATORS, { limit, offset: 0, cursor });
    return { entries: items };
  }
  const entries: AuditEntry[] = [];
  for await (const entry of deps.table.newest(AuditEntry, auditOf(accountId), { before: cursor, pageSize: limit })) {
    entries.push(entry);
    if (entries.length === limit) break;
  }
  return await deps.commit([], { entries }, { action: 'audit.read', accountId: NO_ACCOUNT, subjectId: accountId });
}
