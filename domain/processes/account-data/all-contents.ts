import { AccountDeletion, AccountExport, exportsOf } from '../../../table/entities/account-data.ts';
import {
  Account,
  AccountRate,
  AnonymousClient,
  ApiKey,
  apiKeysOf,
  Credential,
  DailyUsage,
  IdempotencyRecord,
  Login,
} from '../../../table/entities/accounts.ts';
import {
  AiAccount,
  AiAudit,
  AiCall,
  AiEntry,
  AiKeyCalls,
  AiOffer,
  AiUsage,
  aiCallsOf,
  aiEntriesOf,
  aiUsageOf,
} from '../../../table/entities/ai.ts';
import { App, appsOf, EnvSet, GitAccess, Host, LogPage } from '../../../table/entities/apps.ts';
import { AuditEntry, auditOf } from '../../../table/entities/audit.ts';
import {
  Dispute,
  Invoice,
  InvoiceByStatus,
  InvoiceSequence,
  invoicesOf,
  KnownCard,
  PlanOffer,
  Subscription,
  subscriptionsOf,
  TopUp,
  WalletTransaction,
  walletOf,
} from '../../../table/entities/billing.ts';
import { Cell, Move } from '../../../table/entities/cells.ts';
import { Checks } from '../../../table/entities/checks.ts';
import { DistributionTenant, HostClaim } from '../../../table/entities/custom-domains.ts';
import { Database, databaseListOf } from '../../../table/entities/databases.ts';
import {
  BuildQueue,
  Deployment,
  deploymentsOf,
  NextBuild,
  Push,
  QueuedBuild,
  queuedBuildsOf,
} from '../../../table/entities/deployments.ts';
import { DnsRecord, recordsOf, Zone } from '../../../table/entities/dns.ts';
import { HostingAccount, HostingDomain, HostingServer } from '../../../table/entities/hosting.ts';
import { FailedRequest, failedRequestsOf, Lookup, lookupsOf } from '../../../table/entities/lookups.ts';
import { MailAddress } from '../../../table/entities/mail.ts';
import { Team } from '../../../table/entities/members.ts';
import { MigrationRun } from '../../../table/entities/migrations.ts';
import { Notification, NotificationReader, notificationsOf } from '../../../table/entities/notifications.ts';
import { Quotas } from '../../../table/entities/quotas.ts';
import { Domain, DomainName, DomainOffer, domainsOf } from '../../../table/entities/registrar.ts';
import { QueuedRelease, ReleasePace } from '../../../table/entities/releases.ts';
import { RouteWriter } from '../../../table/entities/routes.ts';
import { SwitchState } from '../../../table/entities/switches.ts';
import {
  Delivery,
  DeliveryAttempt,
  deliveriesOf,
  Event,
  EventFeed,
  FeedEntry,
  Sweep,
  Webhook,
  webhooksOf,
} from '../../../table/entities/webhooks.ts';
import { viewAuditEntry } from '../../audit/log.ts';
import { type Contents, contents, unread } from './contents.ts';
import { foundUnder, inPartition, listed, one, type Reader, under } from './readers.ts';

const account = one(Account, (id) => ({ id }));
const apiKeys = listed(ApiKey, apiKeysOf);
const apps = listed(App, appsOf);
const domains = listed(Domain, domainsOf);
const subscriptions = inPartition(Subscription, subscriptionsOf);
const webhooks = inPartition(Webhook, webhooksOf);
const ofAccount = (accountId: string) => ({ accountId });

const deployments = under(apps, async function* (table, { id }, after) {
  for await (const item of table.each(Deployment, deploymentsOf(id), after)) yield [item.id, item];
});
const deliveries = under(webhooks, async function* (table, { id }, after) {
  for await (const item of table.each(Delivery, deliveriesOf(id), after))
    yield [Delivery.list?.(item)?.listSk ?? '', item];
});
const attemptsOf = ({ accountId, id, made }: Delivery) =>
  Array.from({ length: made?.count ?? 0 }, (_, number) => ({ accountId, deliveryId: id, number }));
const records: Reader<DnsRecord> = under(domains, async function* (table, { id }, after) {
  for await (const item of table.newest(DnsRecord, recordsOf(id), { before: after, pageSize: 100 }))
    yield [item.id, item];
});

/** Members and invitations, without what opens an invitation. */
const viewTeam = ({ members, invitations }: Team) => ({
  members,
  invitations: invitations.map(({ hash, mail, ...shown }) => ({ ...shown, emailedAt: mail?.sentAt })),
});

/** The feed of an account, from its end backwards to the oldest event that is kept. */
const feed: Reader<FeedEntry> = async function* (table, accountId, after) {
  const end = after === undefined ? ((await table.get(EventFeed, { accountId }))?.position ?? 0) + 1 : Number(after);
  for (let position = end - 1; position > 0; position -= 1) {
    const entry = await table.get(FeedEntry, { accountId, position });
    if (!entry) return;
    yield [String(position), entry];
  }
};

/**
 * Everything that the platform stores, by entity, with what becomes of it in an export of an account and at its deletion, which
 * goes through it from the end: a list stands before what is found through it. A
 * test fails while an entity of `table/entities/` or a field of one is missing here (all-contents.test.ts).
 */
export const ALL_CONTENTS: readonly Contents[] = [
  contents(
    Account,
    'tax',
    {
      file: 'account',
      shows: [
        ...([
          'id',
          'email',
          'name',
          'plan',
          'limits',
          'appCount',
          'webhookCount',
          'keyCount',
          'databaseCount',
        ] as const),
        ...(['buildMonth', 'buildMinutes', 'unpaidOrderCount', 'walletCents', 'frozenCents', 'newCardHolds'] as const),
        ...(['autoTopUp', 'autoTopUpHistory', 'createdAt', 'logins', 'suspension', 'planLimit', 'deletion'] as const),
      ],
      omits: {
        ...{ card: 'secret', walletVersion: 'internal', autoTopUpId: 'internal', autoTopUpCount: 'internal' },
        ...{
          noAutoTopUpBefore: 'internal',
          suspensionVersion: 'internal',
          resumedAt: 'internal',
          reapplyAt: 'internal',
          buildCount: 'internal',
        },
        ...{ planLimitVersion: 'internal', topUpAt: 'internal', dueAt: 'internal', exportId: 'internal' },
      },
    },
    account,
  ),
  contents(
    Login,
    'teardown',
    {
      file: 'logins',
      shows: ['subject', 'accountId', 'email', 'name', 'role', 'suspended', 'closesAt'],
      omits: {
        ...{ accountName: 'elsewhere', memberships: 'elsewhere', membershipsVersion: 'internal' },
        ...{ listed: 'internal', endedSessions: 'internal', endedSessionsVersion: 'internal' },
      },
    },
    foundUnder(account, Login, ({ logins = [] }) => logins.map((subject) => ({ subject }))),
  ),
  contents(
    Team,
    'removed',
    {
      file: 'members',
      shows: ['members', 'invitations'],
      omits: { accountId: 'elsewhere', version: 'internal' },
      view: viewTeam,
    },
    one(Team, ofAccount),
  ),
  contents(
    Notification,
    'removed',
    {
      file: 'notifications',
      shows: ['day', 'kind', 'subjectId', 'title', 'path', 'at'],
      omits: { accountId: 'elsewhere' },
    },
    inPartition(Notification, notificationsOf),
  ),
  contents(
    NotificationReader,
    'removed',
    {
      file: 'notification-settings',
      shows: ['subject', 'readUntil', 'off', 'offByMail', 'mailed'],
      omits: {
        ...{ accountId: 'elsewhere', unsubscribeKey: 'secret' },
        ...{ mailVersion: 'internal', mailClaimedUntil: 'internal' },
      },
    },
    foundUnder(account, NotificationReader, ({ id, logins = [] }) =>
      logins.map((subject) => ({ accountId: id, subject })),
    ),
  ),
  contents(
    ApiKey,
    'removed',
    {
      file: 'api-keys',
      shows: [
        'id',
        'name',
        'scopes',
        'allowedOrigins',
        'expiresAt',
        'revokedAt',
        'createdAt',
        'publicKey',
        'createdBy',
        'lastFour',
        'aiBudgetMicroRand',
        'suspension',
      ],
      omits: { accountId: 'elsewhere', hashes: 'secret', prefixes: 'secret' },
    },
    apiKeys,
  ),
  contents(
    Credential,
    'removed',
    'secret',
    foundUnder(apiKeys, Credential, ({ hashes }) => [{ hash: hashes.secret }, { hash: hashes.public }]),
  ),
  unread(AccountRate, 'stays', 'internal'),
  unread(DailyUsage, 'expires', 'brief'),
  unread(MailAddress, 'expires', 'platform'),
  unread(IdempotencyRecord, 'expires', 'brief'),
  unread(AnonymousClient, 'stays', 'platform'),
  contents(
    AccountDeletion,
    'tax',
    {
      file: 'deletion',
      shows: ['status', 'requestedAt', 'endsAt', 'refundCents', 'deletedAt'],
      omits: { accountId: 'elsewhere', removal: 'internal', dueAt: 'internal' },
    },
    one(AccountDeletion, ofAccount),
  ),
  contents(
    AccountExport,
    'removed',
    {
      file: 'exports',
      shows: ['id', 'status', 'sizeBytes', 'createdAt', 'finishedAt'],
      omits: { accountId: 'elsewhere', dueAt: 'internal' },
    },
    listed(AccountExport, exportsOf),
  ),
  contents(
    App,
    'teardown',
    {
      file: 'applications',
      shows: [
        ...([
          'id',
          'name',
          'slug',
          'framework',
          'nodeVersion',
          'repoUrl',
          'branch',
          'installCommand',
          'buildCommand',
        ] as const),
        ...([
          'startFile',
          'startCommand',
          'rootDirectory',
          'detected',
          'healthCheckPath',
          'primaryDomain',
          'hosts',
        ] as const),
        ...(['customDomain', 'status', 'suspensions', 'autoDeploy', 'databaseCount', 'liveDeploymentId'] as const),
        ...(['lastDeploymentStatus', 'createdAt', 'updatedAt'] as const),
      ],
      omits: {
        ...{ accountId: 'elsewhere', branchByDefault: 'internal', nodeVersionByDefault: 'internal', dueAt: 'internal' },
        ...{
          suspensionVersion: 'internal',
          ...{ cellId: 'internal', edgeCellId: 'internal', moveId: 'internal' },
          ...{ movingTo: 'internal', drainingFrom: 'internal' },
          slugHost: 'internal',
          activeDeploymentId: 'internal',
          nextDeploymentId: 'internal',
        },
      },
    },
    apps,
  ),
  contents(
    EnvSet,
    'teardown',
    {
      file: 'variables',
      shows: ['applicationId', 'keys', 'version'],
      omits: { accountId: 'elsewhere', sealed: 'secret' },
    },
    under(apps, async function* (table, { accountId, id }, after) {
      const item = after === undefined ? await table.get(EnvSet, { accountId, id }) : undefined;
      if (item) yield ['1', item];
    }),
    ({ accountId, applicationId }) => ({ accountId, id: applicationId }),
  ),
  contents(
    GitAccess,
    'teardown',
    {
      file: 'deploy-keys',
      shows: ['applicationId', 'publicKey'],
      omits: { accountId: 'elsewhere', hookSecret: 'secret', privateKey: 'secret' },
    },
    foundUnder(apps, GitAccess, ({ id }) => [{ applicationId: id }]),
  ),
  unread(Host, 'teardown', 'elsewhere'),
  unread(HostClaim, 'teardown', 'elsewhere'),
  contents(
    DistributionTenant,
    'teardown',
    {
      file: 'custom-domains',
      shows: ['host', 'applicationId', 'status', 'since', 'problem', 'apex', 'certificates', 'checkedAt', 'askedAt'],
      omits: {
        ...{
          accountId: 'elsewhere',
          token: 'internal',
          cellId: 'internal',
          createLeaseUntil: 'internal',
          reverified: 'internal',
          troubledSince: 'internal',
        },
        ...{ dueAt: 'internal', version: 'internal' },
      },
    },
    foundUnder(apps, DistributionTenant, ({ customDomain }) => (customDomain ? [{ host: customDomain.host }] : [])),
  ),
  contents(
    Deployment,
    'teardown',
    {
      file: 'deployments',
      shows: [
        ...(['id', 'applicationId', 'status', 'trigger', 'commitSha', 'startedAt', 'finishedAt', 'notes'] as const),
        ...(['beganAt', 'builtAt', 'buildMs', 'release', 'builtBy', 'retired', 'cancelled'] as const),
      ],
      omits: {
        ...{
          accountId: 'elsewhere',
          buildId: 'internal',
          waiting: 'internal',
          movedBy: 'internal',
          admittedAt: 'internal',
          releaseQueue: 'internal',
          dueAt: 'internal',
        },
      },
    },
    deployments,
  ),
  unread(Move, 'expires', 'brief'),
  unread(Push, 'expires', 'brief'),
  contents(QueuedBuild, 'removed', 'brief', inPartition(QueuedBuild, queuedBuildsOf)),
  contents(BuildQueue, 'removed', 'internal', one(BuildQueue, ofAccount)),
  unread(NextBuild, 'stays', 'platform'),
  unread(QueuedRelease, 'expires', 'brief'),
  unread(ReleasePace, 'stays', 'platform'),
  unread(RouteWriter, 'stays', 'platform'),
  contents(
    Database,
    'teardown',
    {
      file: 'databases',
      shows: [
        'id',
        'applicationId',
        'name',
        'prefix',
        'status',
        'region',
        'host',
        'port',
        'failureReason',
        'createdAt',
      ],
      omits: {
        ...{ accountId: 'elsewhere', clusterId: 'internal', generation: 'internal', appliedGeneration: 'internal' },
        ...{ counted: 'internal', dueAt: 'internal' },
      },
    },
    listed(Database, databaseListOf),
  ),
  contents(
    DnsRecord,
    'removed',
    {
      file: 'dns-records',
      shows: ['id', 'domainId', 'type', 'name', 'content', 'ttl', 'prio', 'createdAt'],
    },
    records,
  ),
  contents(
    Zone,
    'teardown',
    {
      file: 'dns-zones',
      shows: ['domainId', 'name', 'hostedZoneId', 'aliases'],
      omits: {
        ...{
          accountId: 'elsewhere',
          version: 'internal',
          mirrored: 'internal',
          lease: 'internal',
          failures: 'internal',
        },
        ...{ retryAt: 'internal', dueAt: 'internal' },
      },
    },
    foundUnder(domains, Zone, ({ accountId, id }) => [{ accountId, domainId: id }]),
  ),
  contents(
    Domain,
    'teardown',
    {
      file: 'domains',
      shows: [
        ...([
          'id',
          'name',
          'tld',
          'status',
          'autoRenew',
          'registeredAt',
          'expiresAt',
          'nameservers',
          'dnsProvider',
        ] as const),
        ...([
          'owner',
          'years',
          'privacy',
          'invoiceId',
          'registryExpiresAt',
          'confirmedAt',
          'renewal',
          'createdAt',
        ] as const),
      ],
      omits: {
        accountId: 'elsewhere',
        yearsAtOnce: 'internal',
        absentSince: 'internal',
        delegation: 'internal',
        expiryNotice: 'internal',
        task: 'internal',
        dueAt: 'internal',
      },
    },
    domains,
  ),
  unread(DomainName, 'teardown', 'elsewhere'),
  contents(
    Subscription,
    'tax',
    {
      file: 'subscriptions',
      shows: [
        ...([
          'id',
          'plan',
          'billingCycle',
          'priceCents',
          'status',
          'hostingDomain',
          'currentPeriodEnd',
          'renewal',
        ] as const),
        ...(['panel', 'createdAt', 'cancelledAt'] as const),
      ],
      omits: { accountId: 'elsewhere', dueAt: 'internal' },
    },
    subscriptions,
  ),
  contents(
    HostingAccount,
    'teardown',
    {
      file: 'hosting-accounts',
      shows: ['id', 'server', 'username', 'status', 'mail', 'problem'],
      omits: {
        accountId: 'elsewhere',
        ...{ adoptions: 'internal', removing: 'internal', failures: 'internal', dueAt: 'internal' },
      },
    },
    foundUnder(subscriptions, HostingAccount, ({ accountId, id }) => [{ accountId, id }]),
  ),
  unread(HostingDomain, 'teardown', 'elsewhere'),
  contents(
    WalletTransaction,
    'tax',
    {
      file: 'wallet-transactions',
      shows: ['serial', 'type', 'amountCents', 'balanceAfterCents', 'description', 'createdAt'],
      omits: { accountId: 'elsewhere' },
    },
    inPartition(WalletTransaction, walletOf),
  ),
  contents(
    Invoice,
    'tax',
    {
      file: 'invoices',
      shows: [
        'id',
        'number',
        'kind',
        'status',
        'amountCents',
        'vatCents',
        'issuedAt',
        'payBy',
        'paidAt',
        'subjectId',
        'lines',
      ],
      omits: { accountId: 'elsewhere', countsAsOrder: 'internal', voidAt: 'internal' },
    },
    listed(Invoice, invoicesOf),
  ),
  contents(
    InvoiceByStatus,
    'tax',
    'elsewhere',
    foundUnder(listed(Invoice, invoicesOf), InvoiceByStatus, (invoice) => [invoice]),
  ),
  // No list of an account has them. They name an amount and no person; the money is in the wallet's transactions.
  unread(TopUp, 'stays', 'elsewhere'),
  unread(Dispute, 'stays', 'elsewhere'),
  // In the account's own partition, where its deletion finds it.
  unread(KnownCard, 'removed', 'secret'),
  contents(
    Webhook,
    'removed',
    {
      file: 'webhooks',
      shows: [
        'id',
        'url',
        'description',
        'events',
        'active',
        'failureCount',
        'disabledAt',
        'heldSince',
        'suspension',
        'createdAt',
      ],
      omits: {
        accountId: 'elsewhere',
        secret: 'secret',
        previous: 'secret',
        slowAttempts: 'internal',
        slowUntil: 'internal',
      },
    },
    webhooks,
  ),
  contents(
    FeedEntry,
    'expires',
    { file: 'events', shows: ['position', 'id', 'type', 'created', 'data'], omits: { accountId: 'elsewhere' } },
    feed,
  ),
  unread(Event, 'expires', 'elsewhere'),
  contents(EventFeed, 'removed', 'internal', one(EventFeed, ofAccount)),
  contents(
    Delivery,
    'removed',
    {
      file: 'deliveries',
      shows: [
        'id',
        'webhookId',
        'eventId',
        'type',
        'body',
        'status',
        'createdAt',
        'nextAttemptAt',
        'attempts',
        'made',
        'tries',
      ],
      omits: { accountId: 'elsewhere', step: 'internal', resendAt: 'internal', held: 'internal' },
    },
    deliveries,
    undefined,
    (delivery) => attemptsOf(delivery).map(DeliveryAttempt.key),
  ),
  contents(
    DeliveryAttempt,
    'part',
    {
      file: 'delivery-attempts',
      shows: [
        'deliveryId',
        'number',
        'id',
        'at',
        'outcome',
        'responseStatus',
        'responseBody',
        'responseHeaders',
        'timing',
        'durationMs',
      ],
      omits: { accountId: 'elsewhere', step: 'internal' },
    },
    foundUnder(deliveries, DeliveryAttempt, attemptsOf),
  ),
  contents(
    AiAccount,
    'removed',
    {
      file: 'ai-account',
      shows: ['balanceMicroRand', 'availableMicroRand', 'debtMicroRand', 'callLimit'],
      omits: {
        ...{
          accountId: 'elsewhere',
          keys: 'secret',
          openCalls: 'internal',
          closedWindow: 'internal',
          holds: 'internal',
        },
        ...{ dueAt: 'internal' },
      },
    },
    one(AiAccount, ofAccount),
  ),
  contents(
    AiEntry,
    'tax',
    {
      file: 'ai-credit-entries',
      shows: [
        ...([
          'id',
          'requestId',
          'type',
          'model',
          'inputTokens',
          'cachedTokens',
          'cacheWriteTokens',
          'outputTokens',
        ] as const),
        ...(['price', 'estimated', 'amountMicroRand', 'createdAt'] as const),
      ],
      omits: { accountId: 'elsewhere', window: 'internal' },
    },
    listed(AiEntry, aiEntriesOf),
  ),
  contents(
    AiCall,
    'removed',
    {
      file: 'ai-requests',
      shows: [
        ...([
          'id',
          'keyId',
          'requestId',
          'createdAt',
          'model',
          'provider',
          'saved',
          'status',
          'code',
          'inputTokens',
        ] as const),
        ...(['outputTokens', 'amountMicroRand', 'durationMs', 'firstByteMs'] as const),
      ],
      omits: { accountId: 'elsewhere' },
    },
    inPartition(AiCall, aiCallsOf),
  ),
  contents(
    AiUsage,
    'removed',
    {
      file: 'ai-usage',
      shows: ['day', 'keyId', 'model', 'calls', 'inputTokens', 'outputTokens', 'microRand'],
      omits: { accountId: 'elsewhere' },
    },
    listed(AiUsage, aiUsageOf),
  ),
  contents(AiAudit, 'removed', 'internal', one(AiAudit, ofAccount)),
  contents(
    AiKeyCalls,
    'removed',
    'internal',
    foundUnder(account, AiKeyCalls, ({ id }) => [{ accountId: id, keyId: '' }]),
  ),
  contents(
    AuditEntry,
    'expires',
    {
      file: 'audit-log',
      shows: ['id', 'action', 'subjectId', 'before', 'after', 'createdAt', 'actor', 'address', 'requestId'],
      omits: { accountId: 'elsewhere', reason: 'internal' },
      view: viewAuditEntry,
    },
    inPartition(AuditEntry, auditOf),
  ),
  unread(LogPage, 'expires', 'brief'),
  contents(
    FailedRequest,
    'removed',
    {
      file: 'failed-requests',
      shows: ['requestId', 'operation', 'status', 'code', 'message', 'at', 'by', 'address'],
      omits: { accountId: 'elsewhere' },
    },
    listed(FailedRequest, failedRequestsOf),
  ),
  contents(
    Lookup,
    'removed',
    'elsewhere',
    under(account, async function* (table, { id, email }, after) {
      // By the address only: other texts are ids, which say nothing without the account.
      if (after !== undefined) return;
      for (const item of await table.all(Lookup, lookupsOf(email))) if (item.accountId === id) yield ['1', item];
    }),
  ),
  ...[
    InvoiceSequence,
    PlanOffer,
    Checks,
    Cell,
    HostingServer,
    MigrationRun,
    DomainOffer,
    Quotas,
    SwitchState,
    Sweep,
    AiOffer,
  ].map((each) => unread(each, 'stays', 'platform')),
];
