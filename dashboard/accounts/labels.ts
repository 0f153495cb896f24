import type { MemberRole } from '../../contract/roles.ts';

/** Descriptions of the member roles. */
export const ROLE_LABELS: Readonly<Record<MemberRole, string>> = {
  owner: 'Full access, including members',
  developer: 'Applications, domains, databases, webhooks, API keys and AI; no payments',
  billing: 'Payments, plans and credits; read-only for everything else',
  'read-only': 'Read-only access to everything',
};
