import type { AuditAction } from '../../contract/audit/actions.ts';
import { listAuditEntries } from '../../contract/audit/audit.ts';
import type { AuditActor } from '../../contract/audit/entry.ts';
import type { Output } from '../../contract/route.ts';
import { useApiQuery } from '../api/use-api-query.ts';

// Separate from the account's other operations, which are part of the first load.

export type AuditEntry = Output<typeof listAuditEntries>['data'][number];
export interface AuditFilter {
  action?: AuditAction | undefined;
  actor?: AuditActor | undefined;
}
export const AUDIT_PAGE_SIZE = 50;

/** Reads one page of the audit log. The current page stays visible while the next one loads. */
export const useAuditLog = ({ action, actor }: AuditFilter, offset: number) =>
  useApiQuery(
    listAuditEntries,
    {
      query: {
        limit: String(AUDIT_PAGE_SIZE),
        offset: String(offset),
        ...(action && { action }),
        ...(actor && { actor }),
      },
    },
    { placeholderData: (before) => before },
  );
