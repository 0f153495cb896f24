/** The tag of the events that endpoints receive. No operation has it. */
export const WEBHOOKS_TAG = 'Webhook events';

/** The groups of operations in the reference, in its order, with their descriptions. */
export const TAGS = {
  Account: 'Your account: its plan, limits and usage.',
  Developers: 'API keys.',
  Applications: 'Applications, their settings and environment variables.',
  Deployments: 'Builds and releases of an application, started through the API or by a push.',
  Databases: 'Databases of applications.',
  Billing: 'Invoices, the prepaid wallet, subscriptions and payments, in rand (ZAR).',
  'Domains and DNS': 'Domains, their registration and their DNS records.',
  Catalogue: 'Plans, and the availability and prices of domains. Public keys can read them from browsers.',
  'Web and email hosting': 'Hosting subscriptions with their usage and mailboxes, read live from the server.',
  Webhooks: 'Endpoints that receive signed events.',
  [WEBHOOKS_TAG]: 'The requests that your endpoints receive.',
  'AI gateway': 'Chat completions in OpenAI’s format, with models from many providers.',
  Operators: 'Accounts, switches and failures, for the platform’s operators.',
  Documentation: 'This reference.',
} as const;

/** The group of an operation in the reference. */
export type Tag = Exclude<keyof typeof TAGS, typeof WEBHOOKS_TAG>;
