import type { AuditActor } from '../../contract/audit/entry.ts';

/** Display names of the audit log's actors. */
export const ACTORS: Record<AuditActor, string> = {
  KEY: 'API key',
  LOGIN: 'Login',
  OPERATOR: 'Operator',
  PLATFORM: 'Platform',
};
