import { byEmail, byId, recordLookups } from '../domain/operator/lookups.ts';
import { Account, ApiKey } from '../table/entities/accounts.ts';
import { App } from '../table/entities/apps.ts';
import { AuditEntry } from '../table/entities/audit.ts';
import { Invoice, Subscription } from '../table/entities/billing.ts';
import { Database } from '../table/entities/databases.ts';
import { Deployment } from '../table/entities/deployments.ts';
import { Domain } from '../table/entities/registrar.ts';
import { Webhook } from '../table/entities/webhooks.ts';
import { on, type Rules } from './on.ts';
import { present } from './trigger.ts';

export type LookupRuleDeps = Parameters<typeof recordLookups>[0];

/** Rules that record the lookups by which operators find an account. */
export const lookupRules = (deps: LookupRuleDeps): Rules => ({
  'account.record-email': on(Account).created((account) => recordLookups(deps, byEmail(account))),
  // Accounts from before lookups existed get theirs with one of these changes, which are rare.
  'account.refresh-email': on(Account).changes(['email', 'plan', 'appCount', 'keyCount', 'autoTopUp'], (account) =>
    recordLookups(deps, byEmail(account)),
  ),
  'key.record-prefixes': on(ApiKey).created((key) => {
    const { secret, public: publicPrefix } = key.prefixes ?? {};
    const prefixes = [secret, publicPrefix].flatMap((text) =>
      text === undefined ? [] : [{ text, kind: 'key', accountId: key.accountId, id: key.id }],
    );
    return recordLookups(deps, [...byId('key', key), ...prefixes]);
  }),
  'audit.record-request': on(AuditEntry).created({ requestId: present }, ({ accountId, actor, requestId }) =>
    recordLookups(
      deps,
      requestId === null || actor.kind === 'OPERATOR'
        ? []
        : [{ text: requestId, kind: 'request', accountId, id: requestId, ...(actor.id ? { by: actor.id } : {}) }],
    ),
  ),
  'app.record-id': on(App).created((app) => recordLookups(deps, byId('application', app))),
  'deployment.record-id': on(Deployment).created((deployment) => recordLookups(deps, byId('deployment', deployment))),
  'webhook.record-id': on(Webhook).created((webhook) => recordLookups(deps, byId('endpoint', webhook))),
  'domain.record-id': on(Domain).created((domain) => recordLookups(deps, byId('domain', domain))),
  'database.record-id': on(Database).created((database) => recordLookups(deps, byId('database', database))),
  'subscription.record-id': on(Subscription).created((bought) => recordLookups(deps, byId('subscription', bought))),
  'invoice.record-number': on(Invoice).created(({ accountId, id, number }) =>
    recordLookups(deps, [...byId('invoice', { accountId, id }), { text: number, kind: 'invoice', accountId, id }]),
  ),
});
