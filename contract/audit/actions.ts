/** A kind of change that the audit log records. */
interface AuditRule {
  /** The change in words, for the dashboard. */
  label: string;
  /** The fields whose values before and after the change are stored. No other field is stored; none of these holds a secret. */
  shows: readonly string[];
}

const APP = [
  'name',
  'slug',
  'framework',
  'nodeVersion',
  'repoUrl',
  'branch',
  'installCommand',
  'buildCommand',
  'startFile',
  'startCommand',
  'rootDirectory',
  'healthCheckPath',
  'primaryDomain',
  'autoDeploy',
  'status',
] as const;
const KEY = ['name', 'scopes', 'allowedOrigins', 'expiresAt', 'revokedAt', 'publicKey', 'aiBudget'] as const;
const MEMBER = ['email', 'role'] as const;
const ENDPOINT = ['url', 'description', 'events', 'active'] as const;
const RECORD = ['type', 'name', 'content', 'ttl', 'prio'] as const;
const DOMAIN = ['domain', 'status', 'years', 'expiresAt', 'amount', 'balance'] as const;
const INVOICE = ['number', 'numbers', 'kind', 'amount', 'status', 'balance'] as const;
const SUBSCRIPTION = ['plan', 'billingCycle', 'status', 'hostingDomain', 'currentPeriodEnd', 'balance'] as const;
const MONEY = ['amount', 'status', 'description', 'balance'] as const;

/** The changes that the audit log records, named `<subject>.<past participle>` (docs/decisions/0041-audit-log.md). */
export const AUDIT_ACTIONS = {
  'app.created': { label: 'Application created', shows: APP },
  'app.updated': { label: 'Application changed', shows: APP },
  'app.deleted': { label: 'Application deleted', shows: APP },
  'app.suspended': { label: 'Application suspended', shows: ['status', 'reason'] },
  'app.resumed': { label: 'Suspension of an application lifted', shows: ['status', 'reason'] },
  'app.move-requested': { label: 'Move of an application to another cell requested', shows: ['cell'] },
  'app.moved': { label: 'Application moved to another cell', shows: ['cell'] },
  'app.move-failed': { label: 'Move of an application failed', shows: ['cell', 'problem'] },
  'variables.replaced': { label: 'Variables replaced', shows: ['keys', 'set', 'removed'] },
  'variables.updated': { label: 'Variables changed', shows: ['keys', 'set', 'removed'] },
  'cell.set': { label: 'Hosting cell set', shows: ['id', 'open', 'account', 'region', 'appsDomain'] },
  'deploy-key.rotated': { label: 'Deploy key replaced', shows: ['publicKey'] },
  'git-hook.rotated': { label: 'Push webhook secret replaced', shows: ['url'] },
  'deployment.created': { label: 'Deployment started', shows: ['applicationId', 'trigger', 'commitSha'] },
  'deployment.cancelled': { label: 'Deployment cancelled', shows: ['applicationId'] },
  'deployment.rolled-back': { label: 'Rolled back', shows: ['applicationId', 'trigger', 'commitSha'] },
  'custom-domain.set': { label: 'Custom domain set', shows: ['domain', 'status'] },
  'custom-domain.verified': { label: 'Custom domain verified', shows: ['domain', 'status'] },
  'custom-domain.removed': { label: 'Custom domain removed', shows: ['domain', 'status'] },
  'database.created': { label: 'Database created', shows: ['applicationId', 'name', 'region'] },
  'database.failed': { label: 'Database creation failed', shows: ['applicationId', 'name', 'reason'] },
  'database.password-created': { label: 'Password of a database created', shows: ['expiresAt'] },
  'database.passwords-reset': { label: 'Passwords of a database revoked', shows: ['name'] },
  'database.access-changed': { label: 'Access to a database changed by a limit', shows: ['name', 'access'] },
  'database.deleted': { label: 'Database deleted', shows: ['applicationId', 'name', 'region'] },
  'key.created': { label: 'API key created', shows: KEY },
  'key.updated': { label: 'API key changed', shows: KEY },
  'key.revoked': { label: 'API key revoked', shows: KEY },
  'key.suspended': { label: 'API key suspended', shows: ['reason'] },
  'key.resumed': { label: 'Suspension of an API key lifted', shows: ['reason'] },
  'session.ended': { label: 'Signed out', shows: [] },
  'member.invited': { label: 'Member invited', shows: MEMBER },
  'member.invitation-revoked': { label: 'Invitation revoked', shows: MEMBER },
  'member.joined': { label: 'Member joined', shows: MEMBER },
  'member.role-changed': { label: 'Role of a member changed', shows: MEMBER },
  'member.removed': { label: 'Member removed', shows: MEMBER },
  'member.left': { label: 'Member left', shows: MEMBER },
  'webhook.created': { label: 'Webhook endpoint added', shows: ENDPOINT },
  'webhook.updated': { label: 'Webhook endpoint changed', shows: ENDPOINT },
  'webhook.deleted': { label: 'Webhook endpoint deleted', shows: ENDPOINT },
  'webhook.enabled': { label: 'Webhook endpoint enabled', shows: ENDPOINT },
  'webhook.disabled': { label: 'Webhook endpoint disabled', shows: [...ENDPOINT, 'failureCount'] },
  'webhook.suspended': { label: 'Webhook endpoint suspended', shows: ['reason'] },
  'webhook.resumed': { label: 'Suspension of a webhook endpoint lifted', shows: ['reason'] },
  'webhook.pinged': { label: 'Webhook endpoint tested', shows: ['eventId'] },
  'webhook.secret-rotated': { label: 'Secret of a webhook endpoint replaced', shows: ['previousExpiresAt'] },
  'webhook.skipped-resent': { label: 'Skipped deliveries resent', shows: ['since', 'resent', 'remaining'] },
  'delivery.resent': { label: 'Delivery resent', shows: ['eventId', 'type', 'status'] },
  'domain.ordered': { label: 'Domain ordered', shows: DOMAIN },
  'domain.registered': { label: 'Domain registered', shows: DOMAIN },
  'domain.renewed': { label: 'Domain renewed', shows: DOMAIN },
  'domain.updated': { label: 'Domain changed', shows: ['autoRenew'] },
  'domain.expired': { label: 'Domain expired', shows: DOMAIN },
  'domain.renewal-refused': { label: 'Domain renewal refused', shows: DOMAIN },
  'domain.failed': { label: 'Domain registration failed', shows: [...DOMAIN, 'reason'] },
  'domain.adopted': { label: 'Domain assigned to the account', shows: DOMAIN },
  'dns-record.added': { label: 'DNS record added', shows: RECORD },
  'dns-record.replaced': { label: 'DNS record changed', shows: RECORD },
  'dns-record.deleted': { label: 'DNS record deleted', shows: RECORD },
  'wallet.adjusted': { label: 'Balance adjusted', shows: MONEY },
  'top-up.started': { label: 'Top-up started', shows: ['amount', 'status', 'automatic'] },
  'top-up.succeeded': { label: 'Top-up paid', shows: MONEY },
  'top-up.failed': { label: 'Top-up failed', shows: MONEY },
  'auto-top-up.set': { label: 'Automatic top-up changed', shows: ['enabled', 'threshold', 'amount'] },
  'dispute.opened': { label: 'Card payment disputed', shows: MONEY },
  'dispute.closed': { label: 'Dispute of a card payment closed', shows: MONEY },
  'invoice.issued': { label: 'Invoice issued', shows: INVOICE },
  'invoice.paid': { label: 'Invoice paid', shows: INVOICE },
  'invoice.voided': { label: 'Invoice voided', shows: INVOICE },
  'subscription.created': { label: 'Plan bought', shows: SUBSCRIPTION },
  'subscription.granted': { label: 'Plan granted', shows: SUBSCRIPTION },
  'subscription.cancelled': { label: 'Subscription cancelled', shows: [...SUBSCRIPTION, 'reason'] },
  'subscription.suspended': { label: 'Subscription suspended', shows: SUBSCRIPTION },
  'subscription.ended': { label: 'Subscription ended', shows: SUBSCRIPTION },
  'subscription.renewed': { label: 'Subscription renewed', shows: SUBSCRIPTION },
  'ai-credits.bought': { label: 'AI credits bought', shows: ['amount'] },
  'ai-credits.adjusted': { label: 'AI credits adjusted', shows: ['amount'] },
  'provider-key.saved': { label: 'Key of an AI provider saved', shows: ['name', 'lastFour'] },
  'provider-key.deleted': { label: 'Key of an AI provider deleted', shows: ['name', 'lastFour'] },
  'account.opened': { label: 'Account opened', shows: ['email', 'name', 'plan'] },
  'account.suspended': { label: 'Account suspended', shows: ['reason'] },
  'account.resumed': { label: 'Suspension of the account lifted', shows: ['reason'] },
  'account.export-started': { label: 'Export of the account started', shows: [] },
  'account.export-opened': { label: 'Link to an export created', shows: ['expiresAt'] },
  'account.deletion-requested': { label: 'Deletion of the account requested', shows: ['endsAt', 'refund'] },
  'account.deletion-cancelled': { label: 'Deletion of the account cancelled', shows: ['endsAt'] },
  'account.deletion-begun': { label: 'Deletion of the account started', shows: ['refund'] },
  'account.deleted': { label: 'Account deleted', shows: ['refund'] },
  'account.limits-changed': { label: 'Limits changed', shows: ['limits'] },
  'account.read': { label: 'Account read', shows: [] },
  'accounts.searched': { label: 'Accounts searched', shows: ['query', 'found'] },
  'audit.read': { label: 'Audit log read', shows: [] },
  'hosting.session-created': { label: 'Control panel of web hosting opened', shows: ['expiresAt'] },
  'hosting.moved': { label: 'Web hosting moved to another server', shows: ['server'] },
  'plans.set': { label: 'Plans and prices set', shows: ['offer'] },
  'domain-prices.set': { label: 'Prices of domains set', shows: ['offer'] },
  'ai-offer.set': { label: 'AI models on offer set', shows: ['offer'] },
  'hosting-server.set': { label: 'Hosting server set', shows: ['baseUrl', 'address', 'mailHost', 'user', 'open'] },
  'switch.set': { label: 'Switch set', shows: ['name', 'target', 'off', 'message'] },
  'flag.set': { label: 'Feature flag set', shows: ['name', 'share', 'accounts', 'owner', 'ends'] },
  'failures.replayed': { label: 'Failed work replayed', shows: ['count', 'kept'] },
  'failures.discarded': { label: 'Failed work discarded', shows: ['count', 'items'] },
  'login.restored': { label: 'Login restored', shows: ['login'] },
  'restore.repaired': { label: 'State outside of a restored table repaired', shows: ['repaired'] },
  'quarantine.released': { label: 'Quarantined items released', shows: ['queue', 'pk', 'sk', 'released'] },
} as const satisfies Record<string, AuditRule>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** Returns true for the name of an action of the audit log. */
export const isAuditAction = (text: string): text is AuditAction => Object.hasOwn(AUDIT_ACTIONS, text);

/** Returns the label of an action; the action itself if only a newer version knows it. */
export const labelOfAction = (action: string): string => (isAuditAction(action) ? AUDIT_ACTIONS[action].label : action);

/**
 * The first part of the key of every partition of the audit log. Functions may add items to these partitions, but neither change
 * nor delete them (lib/stacks/table.ts).
 */
export const AUDIT_PARTITION = 'AUDIT';

/** The number of days after which the table deletes an entry. */
export const AUDIT_RETENTION_DAYS = 365;
