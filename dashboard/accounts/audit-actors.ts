import type { AuditActor } from '../../contract/audit/entry.ts';

/** Actors of the audit log as screens name them. */
export const ACTORS: Record<AuditActor, string> = {
  KEY: 'API key',
  LOGIN: 'Login',
  OPERATOR: 'Operator',
  PLATFORM: 'Platform',
};
