/** Roles of an account's members, those with the most rights first. */
export const MEMBER_ROLES = ['owner', 'developer', 'billing', 'read-only'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The roles that grant each right. Every operation that a login may call names the right that it needs. */
export const RIGHTS = {
  /** Reads the account, and changes the member's own settings. */
  member: MEMBER_ROLES,
  /** Changes applications, domains, web hosting, databases, webhooks and API keys, and calls AI models. */
  develop: ['owner', 'developer'],
  /** Pays, buys plans and credits, and changes payment settings. */
  pay: ['owner', 'billing'],
  /** Manages members, invitations and the account itself. */
  manage: ['owner'],
} as const satisfies Record<string, readonly MemberRole[]>;
export type Right = keyof typeof RIGHTS;

/** Returns true if a role grants a right. A role that only a newer version knows grants just `member`. */
export const hasRight = (role: MemberRole, right: Right): boolean =>
  right === 'member' || RIGHTS[right].some((allowed) => allowed === role);

const rolesWith = (right: Right): string => RIGHTS[right].join(' or ');

/** Returns the message for a request that the member's role does not allow. It names the roles that do. */
export const roleMessage = (role: MemberRole, right: Right): string =>
  `Your role in this account is ${role}; this needs the role ${rolesWith(right)}. Ask an owner of the account.`;

/** Returns the message for a screen with actions that the member's role does not allow. */
export const screenRoleMessage = (role: MemberRole, right: Right): string =>
  `Your role in this account is ${role}. Disabled actions need the role ${rolesWith(right)}.`;

/** The header that names the account in which a login acts. Without it, the login acts in its own account. */
export const ACCOUNT_HEADER = 'x-account-id';

/** The query parameter that names the account in a link to the dashboard. */
export const ACCOUNT_PARAMETER = 'account';
