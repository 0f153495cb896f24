interface Part {
  name: string;
  /** Description of the stack. */
  description: string;
  paths: RegExp;
}

/**
 * Parts of the API whose operations are in separate stacks, because a stack has at most 500 resources and an operation needs up to nine. The
 * first part that matches a path applies. A deployed operation cannot move to another part, because its function's name is taken until its
 * previous stack is updated (docs/decisions/0003-stacks-and-physical-names.md).
 */
export const API_PARTS: readonly Part[] = [
  {
    name: 'account-api',
    description: 'Operations on the account and its members: a function for each',
    paths: /^\/dashboard\/v1\/(account|members|membership|invitations)(\/|$)/,
  },
  {
    name: 'orders-api',
    description: 'Operations on domains, hosting and money: a function for each',
    paths: /^(\/dashboard)?\/v1\/(domains|hosting|invoices|plans|subscriptions|wallet)(\/|$)/,
  },
  {
    name: 'dashboard-api',
    description: 'Operations that only the dashboard has: a function for each',
    paths: /^\/dashboard\//,
  },
];

/** Returns a predicate that is true for operations of a part. The part `api` has all operations that no other part matches. */
export const isOf =
  (name: string) =>
  ({ path }: { path: string }): boolean =>
    (API_PARTS.find(({ paths }) => paths.test(path))?.name ?? 'api') === name;
