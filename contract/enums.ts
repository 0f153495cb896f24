/** The closed sets of values, apart from the schemas that use them: they are needed where no schema is. */

/**
 * Returns the entry of a stored or received value; undefined for one that only a newer version knows
 * (docs/decisions/0050-mixed-versions.md), and for a text such as `constructor`, which every object has.
 */
export const entryOf = <K extends string, V>(entries: Readonly<Record<K, V>>, value: NoInfer<K>): V | undefined =>
  Object.hasOwn(entries, value) ? entries[value] : undefined;

export const FRAMEWORKS = ['NEXTJS', 'NODE', 'EXPRESS', 'NUXT'] as const;
export const NODE_VERSIONS = ['24', '22', '20'] as const;

/** Defaults per framework (design, Applications). */
export const FRAMEWORK_DEFAULTS = {
  NEXTJS: { buildCommand: 'npm run build', startFile: '.next/standalone/server.js' },
  NUXT: { buildCommand: 'npm run build', startFile: '.output/server/index.mjs' },
  EXPRESS: { buildCommand: null, startFile: 'server.js' },
  NODE: { buildCommand: null, startFile: 'server.js' },
} as const satisfies Record<(typeof FRAMEWORKS)[number], { buildCommand: string | null; startFile: string }>;

/** The branch and the version of Node of applications whose owner chose none (specification, Applications). */
export const DEFAULT_BRANCH = 'main';
export const DEFAULT_NODE_VERSION = '22' satisfies (typeof NODE_VERSIONS)[number];

/**
 * Causes of an application's suspension: an operator suspended it, its account is suspended, or the plan allows fewer
 * applications. An application has at most one reason of each.
 */
export const SUSPENSION_CAUSES = ['OPERATOR', 'ACCOUNT', 'PLAN'] as const;

export const DEPLOYMENT_STATUSES = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED'] as const;
export const TRIGGERS = ['API', 'PUSH', 'DASHBOARD', 'ROLLBACK'] as const;

/** The state of an account on its hosting server: not made yet, and then as the server has it. */
export const PANEL_STATUSES = ['PENDING', 'ACTIVE', 'SUSPENDED', 'REMOVED'] as const;

/** States of a custom domain's verification. */
export const CUSTOM_DOMAIN_STATUSES = ['PENDING', 'VERIFIED'] as const;

/**
 * States of a verified domain's certificate: `WAITING` until the domain points here, `PENDING` while it is being
 * issued, `ISSUED` when visitors can use it, `FAILED` when it could not be issued.
 */
export const CERTIFICATE_STATUSES = ['WAITING', 'PENDING', 'ISSUED', 'FAILED'] as const;

/** A database is made in about a minute, or not at all. */
export const DATABASE_STATUSES = ['PROVISIONING', 'AVAILABLE', 'FAILED', 'DELETING'] as const;

/** The clients that may open connections to a database: its application and its owner, its owner alone, or neither. */
export const DATABASE_ACCESS = ['ALL', 'OWNER', 'NONE'] as const;
export type DatabaseAccess = (typeof DATABASE_ACCESS)[number];

/** Companies whose models the AI gateway passes on. The platform's own keys are fields of one secret (lib/stacks/ai.ts). */
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
  /** An answer with another status than 2xx or 3xx. */
  'BAD_STATUS',
  /** 3xx: redirects are not followed. */
  'REDIRECT',
  /** Not done within the deadline, whatever it was doing. */
  'TIMEOUT',
  /** No process listens at the port. */
  'REFUSED',
  /** The connection broke before the answer was whole. */
  'RESET',
  /** No way to the address. */
  'UNREACHABLE',
  /** The name does not resolve. */
  'DNS',
  /** No encrypted connection: a certificate that is not valid for the name, mostly. */
  'TLS',
  /** The address, or all that the name resolves to, is not a public one. */
  'BLOCKED_ADDRESS',
  /** The response was not HTTP, its headers were too large, or its body did not match its encoding. */
  'BAD_RESPONSE',
] as const;

/** Specification, Resources: Invoice; the third kind is the design's. */
export const INVOICE_KINDS = ['PLAN', 'DOMAIN', 'AI_CREDITS'] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];
export const INVOICE_STATUSES = ['UNPAID', 'PAID', 'VOID'] as const;

/** Why the balance of a wallet changed. */
export const WALLET_TRANSACTION_TYPES = ['TOPUP', 'PAYMENT', 'REFUND', 'ADJUSTMENT'] as const;

export const PLAN_CATEGORIES = ['WEB', 'EMAIL', 'APP'] as const;
export const BILLING_CYCLES = ['MONTHLY', 'YEARLY'] as const;
export const SUBSCRIPTION_STATUSES = ['ACTIVE', 'SUSPENDED', 'CANCELLED'] as const;
export const PAYMENT_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED'] as const;
/** States of a disputed card payment: money is back, or gone, once the dispute is closed. */
export const DISPUTE_STATUSES = ['OPEN', 'WON', 'LOST'] as const;
/** `PENDING` until the registrar has registered it, `FAILED` when it was rejected or not paid (design, Domains). */
export const DOMAIN_STATUSES = ['PENDING', 'ACTIVE', 'FAILED', 'EXPIRED'] as const;

/** The name servers of a domain: the platform's, or others that its owner chose. */
export const DNS_PROVIDERS = ['PLATFORM', 'EXTERNAL'] as const;

export const DNS_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'] as const;

/** Tasks that a registrar carries out on a domain. */
export const DOMAIN_TASKS = ['REGISTER', 'RENEW'] as const;

/** Why the registrar wants a registrant's address confirmed: it waits for that, or has waited in vain and suspended the domain. */
export const OPEN_VERIFICATIONS = ['PENDING', 'EXPIRED'] as const;
