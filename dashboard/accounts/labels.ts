import type { MemberRole } from '../../contract/roles.ts';

/** The roles of members, in words. */
export const ROLE_LABELS: Readonly<Record<MemberRole, string>> = {
  owner: 'Everything, members included',
  developer: 'Applications, domains, databases, webhooks, API keys and AI; no payments',
  billing: 'Payments, plans and credits; reads the rest',
  'read-only': 'Reads everything, changes nothing',
};
