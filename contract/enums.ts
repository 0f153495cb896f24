/** Closed sets of values. They are kept apart from the schemas, because code without schemas needs them too. */

/**
 * Returns the entry of a stored or received value. Undefined for a value that only a newer version knows
 * (docs/decisions/0050-mixed-versions.md), and for a name that every object inherits, such as `constructor`.
 */
export const entryOf = <K extends string, V>(entries: Readonly<Record<K, V>>, value: NoInfer<K>): V | undefined =>
  Object.hasOwn(entries, value) ? entries[value] : undefined;

export const FRAMEWORKS = ['NEXTJS', 'NODE', 'EXPRESS', 'NUXT'] as const;
export const NODE_VERSIONS = ['24', '22', '20'] as const;

/** Defaults per framework. */
export const FRAMEWORK_DEFAULTS = {
  NEXTJS: { buildCommand: 'npm run build', startFile: '.next/standalone/server.js' },
  NUXT: { buildCommand: 'npm run build', startFile: '.output/server/index.mjs' },
  EXPRESS: { buildCommand: null, startFile: 'server.js' },
  NODE: { buildCommand: null, startFile: 'server.js' },
} as const satisfies Record<(typeof FRAMEWORKS)[number], { buildCommand: string | null; startFile: string }>;

/** The default branch and Node version of an application (specification, Applications). */
export const DEFAULT_BRANCH = 'main';
export const DEFAULT_NODE_VERSION = '22' satisfies (typeof NODE_VERSIONS)[number];

/**
 * Causes of an application's suspension: an operator suspended it, its account is suspended, or the plan allows fewer
 * applications. An application has at most one reason for each cause.
 */
export const SUSPENSION_CAUSES = ['OPERATOR', 'ACCOUNT', 'PLAN'] as const;

export const DEPLOYMENT_STATUSES = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED'] as const;
export const TRIGGERS = ['API', 'PUSH', 'DASHBOARD', 'ROLLBACK'] as const;

/** States of a hosting account: `PENDING` until it is created, then its state on the server. */
export const PANEL_STATUSES = ['PENDING', 'ACTIVE', 'SUSPENDED', 'REMOVED'] as const;

/** States of a custom domain's verification. */
export const CUSTOM_DOMAIN_STATUSES = ['PENDING', 'VERIFIED'] as const;

/**
 * States of a verified domain's certificate: `WAITING` until the domain points to the platform, `PENDING` while it is being
 * issued, `ISSUED` once it is served, `FAILED` if it could not be issued.
 */
export const CERTIFICATE_STATUSES = ['WAITING', 'PENDING', 'ISSUED', 'FAILED'] as const;

/** States of a database. Provisioning takes about a minute. */
export const DATABASE_STATUSES = ['PROVISIONING', 'AVAILABLE', 'FAILED', 'DELETING'] as const;

/** The clients that may open connections to a database: its application and its owner, only its owner, or neither. */
export const DATABASE_ACCESS = ['ALL', 'OWNER', 'NONE'] as const;
export type DatabaseAccess = (typeof DATABASE_ACCESS)[number];

/** Providers of the AI gateway. The platform's keys for them are fields of one secret (lib/stacks/ai.ts). */
export const AI_PROVIDER_IDS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'groq',
  'deepseek',
  'xai',
  'openrouter',
  'together',
] as const;

/** Kinds of entries in the ledger of AI credits. */
export const AI_ENTRY_TYPES = ['CALL', 'PURCHASE', 'ADJUSTMENT'] as const;

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED'] as const;

/** Outcomes of a delivery attempt. All but the first are failures. */
export const DELIVERY_OUTCOMES = [
  'DELIVERED',
  /** A response with a status other than 2xx or 3xx. */
  'BAD_STATUS',
  /** 3xx: redirects are not followed. */
  'REDIRECT',
  /** The attempt did not finish within the time limit. */
  'TIMEOUT',
  /** No process listens at the port. */
  'REFUSED',
  /** The connection broke before the response was complete. */
  'RESET',
  /** There is no network route to the address. */
  'UNREACHABLE',
  /** The name does not resolve. */
  'DNS',
  /** The TLS handshake failed, usually because the certificate is not valid for the name. */
  'TLS',
  /** The address is not public, or the name resolves to no public address. */
  'BLOCKED_ADDRESS',
  /** The response was not HTTP, its headers were too large, or its body did not match its encoding. */
  'BAD_RESPONSE',
] as const;

/** Kinds of invoices (specification, Resources: Invoice). `AI_CREDITS` is an addition. */
export const INVOICE_KINDS = ['PLAN', 'DOMAIN', 'AI_CREDITS'] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];
export const INVOICE_STATUSES = ['UNPAID', 'PAID', 'VOID'] as const;

/** Reasons for a change of a wallet's balance. */
export const WALLET_TRANSACTION_TYPES = ['TOPUP', 'PAYMENT', 'REFUND', 'ADJUSTMENT'] as const;

export const PLAN_CATEGORIES = ['WEB', 'EMAIL', 'APP'] as const;
export const BILLING_CYCLES = ['MONTHLY', 'YEARLY'] as const;
export const SUBSCRIPTION_STATUSES = ['ACTIVE', 'SUSPENDED', 'CANCELLED'] as const;
export const PAYMENT_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED'] as const;
/** States of the dispute of a card payment. The money is returned when it is won, and lost when it is lost. */
export const DISPUTE_STATUSES = ['OPEN', 'WON', 'LOST'] as const;
/** States of a domain: `PENDING` until it is registered, `FAILED` if the registrar rejected it or it was not paid. */
export const DOMAIN_STATUSES = ['PENDING', 'ACTIVE', 'FAILED', 'EXPIRED'] as const;

/** The name servers of a domain: the platform's, or others that its owner chose. */
export const DNS_PROVIDERS = ['PLATFORM', 'EXTERNAL'] as const;

export const DNS_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'] as const;

/** Kinds of registrar tasks. */
export const DOMAIN_TASKS = ['REGISTER', 'RENEW'] as const;

/**
 * Open verifications of a registrant's email address: the registrar waits for the confirmation, or the time for it has expired and
 * the registrar has suspended the domain.
 */
export const OPEN_VERIFICATIONS = ['PENDING', 'EXPIRED'] as const;
