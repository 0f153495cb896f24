/** Roles of a member of an account, from the one with most rights. */
export const MEMBER_ROLES = ['owner', 'developer', 'billing', 'read-only'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The roles that have each right. Every operation that a login may call names the right that it needs. */
export const RIGHTS = {
  /** Reads the account, and changes what is the member's own. */
  member: MEMBER_ROLES,
  /** Changes applications, domains, web hosting, databases, webhooks and API keys, and calls AI models. */
  develop: ['owner', 'developer'],
  /** Pays, buys plans and credits, and changes how money is paid. */
  pay: ['owner', 'billing'],
  /** Changes who may do what. */
  manage: ['owner'],
} as const satisfies Record<string, readonly MemberRole[]>;
export type Right = keyof typeof RIGHTS;

/** Returns true for a role that has a right. A role that a newer version stored has none but `member`. */
export const hasRight = (role: MemberRole, right: Right): boolean =>
  right === 'member' || RIGHTS[right].some((each) => each === role);

const either = (roles: readonly string[]): string => roles.join(' or ');

/** Returns the sentence for a request that the member's role does not allow, with the roles that do. */
export const roleMessage = (role: MemberRole, right: Right): string =>
  `Your role in this account is ${role}; this needs the role ${either(RIGHTS[right])}. Ask an owner of the account.`;

/** Header that names the account that a login acts in; without it, the login acts in its own. */
export const ACCOUNT_HEADER = 'x-account-id';

/** Query parameter by which a link into the dashboard names the account that it is about. */
export const ACCOUNT_PARAMETER = 'account';
