interface Part {
  name: string;
  /** Description of its stack. */
  description: string;
  paths: RegExp;
}

/**
 * Parts of the API whose operations are in a stack of their own: a stack holds at most 500 resources, and an operation takes up
 * to nine. The first part that has a path counts. An operation that is deployed cannot move to another part: its function's name
 * is taken until the stack that it leaves is updated (docs/decisions/0003-stacks-and-physical-names.md).
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

/** Returns whether an operation is of a part, or of the stack `api`, which has those of no part. */
export const isOf =
  (name: string) =>
  ({ path }: { path: string }): boolean =>
    (API_PARTS.find(({ paths }) => paths.test(path))?.name ?? 'api') === name;
