import * as z from 'zod/mini';
import { Account } from '../accounts/accounts.ts';
import { ApiKey } from '../accounts/api-keys.ts';
import { AiCredits } from '../ai/gateway.ts';
import { Application } from '../apps/apps.ts';
import { AuditEntry } from '../audit/entry.ts';
import { Invoice } from '../billing/invoices.ts';
import { Subscription } from '../billing/subscriptions.ts';
import { Wallet } from '../billing/wallet.ts';
import { Deployment } from '../deployments/deployments.ts';
import { DELIVERY_STATUSES } from '../enums.ts';
import { Id, list, Page, resource, single, Timestamp } from '../envelope.ts';
import { Domain } from '../registrar/domains.ts';
import { route } from '../route.ts';
import { EndpointWithFailures } from '../webhooks/management.ts';

/** Operations with which operators find and read accounts. Each adds an entry to the audit log. */

export const OPERATOR_TAG = 'Operators';
const access = 'operator';

/** The kinds of resources by which an account can be found. */
const FOUND_KINDS = [
  'account',
  'application',
  'deployment',
  'key',
  'endpoint',
  'domain',
  'host',
  'invoice',
  'subscription',
  'database',
  'top-up',
  'hosting',
  'request',
] as const;

const DeletedAt = () =>
  z.nullable(Timestamp()).register(z.globalRegistry, {
    description: 'When the account was deleted; only its id, ledgers and invoices remain. Null if it is not deleted.',
  });

const By = () =>
  z.nullable(z.string()).register(z.globalRegistry, {
    description: 'The API key or login that made the request; null if unknown, and for other kinds of resources',
  });

/** A resource that a search found, and the account that owns it. */
const FoundAccount = resource('FoundAccount', () =>
  z.object({
    kind: z.string().register(z.globalRegistry, { openApiOverride: { type: 'string', enum: [...FOUND_KINDS] } }),
    id: z.string(),
    by: By(),
    account: z.object({
      id: z.string(),
      email: z.string(),
      name: z.string(),
      suspended: z.boolean(),
      deletedAt: DeletedAt(),
    }),
  }),
);

/** A refused or failed request of the account. */
const FailedRequest = resource('FailedRequest', () =>
  z.object({
    requestId: z.string(),
    operation: z.string(),
    status: z.int(),
    code: z.string(),
    message: z.string(),
    at: Timestamp(),
    by: By(),
    address: z.nullable(z.string()),
  }),
);

const Suspension = () => z.nullable(z.object({ reason: z.string(), since: Timestamp() }));

/** An account for operators. Lists have the newest 20 items, those of applications, keys and endpoints 200. */
const AccountPage = resource('AccountPage', () =>
  z.object({
    account: Account(),
    suspension: Suspension(),
    deletedAt: DeletedAt(),
    limitOverrides: z
      .record(z.string(), z.int())
      .register(z.globalRegistry, { description: 'The limits that operators have set for this account' }),
    applications: z.array(
      z.extend(Application(), {
        cell: z.string(),
        movingTo: z.nullable(z.string()).register(z.globalRegistry, {
          description: 'The cell to which the application is being moved, until visitors are served there',
        }),
        drainingFrom: z.nullable(z.string()).register(z.globalRegistry, {
          description: 'The cell from which the application was moved, until everything of it is removed there',
        }),
      }),
    ),
    deployments: z.array(
      z.extend(Deployment(), {
        progress: z.nullable(z.string()).register(z.globalRegistry, {
          description: 'The current activity of the deployment, or the platform’s last log line if it has ended',
        }),
      }),
    ),
    keys: z.array(z.extend(ApiKey(), { suspension: Suspension() })),
    wallet: Wallet(),
    credits: AiCredits(),
    invoices: z.array(Invoice()),
    subscriptions: z.array(Subscription()),
    domains: z.array(Domain()),
    endpoints: z.array(z.extend(EndpointWithFailures(), { suspension: Suspension() })),
    deliveries: z.array(
      z.object({
        id: z.string(),
        webhookId: z.string(),
        type: z.string(),
        status: z.enum(DELIVERY_STATUSES),
        createdAt: Timestamp(),
        nextAttemptAt: z.nullable(Timestamp()),
        attempts: z.int(),
        lastOutcome: z.nullable(z.string()),
      }),
    ),
    errors: z.array(FailedRequest()),
  }),
);

export const searchAccounts = /* @__PURE__ */ route({
  id: 'searchAccounts',
  method: 'POST',
  path: '/operator/v1/search',
  access,
  audit: 'accounts.searched',
  summary: 'Find accounts by email address, id, key or its first 16 characters, domain, host name or request id',
  tag: OPERATOR_TAG,
  // The query is in the body, because logs keep URLs, and email addresses and keys must not be logged.
  body: () => z.object({ query: z.string().check(z.trim(), z.minLength(3), z.maxLength(300)) }),
  response: () => single(z.array(FoundAccount())),
});

export const readAccount = /* @__PURE__ */ route({
  id: 'readAccount',
  method: 'GET',
  path: '/operator/v1/accounts/{id}',
  access,
  audit: 'account.read',
  summary: 'Read an account: applications, deployments, money, keys, deliveries, limits and recent errors',
  tag: OPERATOR_TAG,
  params: Id,
  response: () => single(AccountPage()),
});

/** An audit entry with the fields that customers are not shown: the operator, the address, the request and the reason. */
const OperatorAuditEntry = resource('OperatorAuditEntry', () =>
  z.extend(AuditEntry(), { accountId: z.string(), reason: z.nullable(z.string()) }),
);

export const listOperatorAudit = /* @__PURE__ */ route({
  id: 'listOperatorAudit',
  method: 'GET',
  path: '/operator/v1/audit',
  access,
  audit: 'audit.read',
  summary: 'List the actions of operators, or all changes to one account, newest first',
  tag: OPERATOR_TAG,
  query: () => z.extend(Page('aud'), { accountId: z.optional(z.string().check(z.minLength(1), z.maxLength(64))) }),
  response: () => list(OperatorAuditEntry()),
});
