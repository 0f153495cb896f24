import { byEmail, byId, MAX_LOOKUPS, type NewLookup, recordLookups } from '../domain/operator/lookups.ts';
import { Account, ApiKey } from '../table/entities/accounts.ts';
import { App } from '../table/entities/apps.ts';
import { AuditEntry } from '../table/entities/audit.ts';
import { Invoice, Subscription } from '../table/entities/billing.ts';
import { Database } from '../table/entities/databases.ts';
import { Deployment } from '../table/entities/deployments.ts';
import { Domain } from '../table/entities/registrar.ts';
import { Webhook } from '../table/entities/webhooks.ts';
import { inGroups, on, type Rules } from './on.ts';
import { present } from './trigger.ts';

/** Rules that record the lookups by which operators find an account. One request writes the lookups of a group. */
export function lookupRules(deps: Parameters<typeof recordLookups>[0]): Rules {
  const recorded = inGroups<NewLookup>(MAX_LOOKUPS, (lookups) => recordLookups(deps, lookups));
  return {
    'account.record-email': recorded(on(Account).created(async (account) => byEmail(account))),
    // Accounts from before lookups existed get theirs with one of these changes, which are rare.
    'account.refresh-email': recorded(
      on(Account).changes(['email', 'plan', 'appCount', 'keyCount', 'autoTopUp'], async (account) => byEmail(account)),
    ),
    'key.record-prefixes': recorded(
      on(ApiKey).created(async (key) => {
        const { secret, public: publicPrefix } = key.prefixes ?? {};
        const prefixes = [secret, publicPrefix].flatMap((text) =>
          text === undefined ? [] : [{ text, kind: 'key', accountId: key.accountId, id: key.id }],
        );
        return [...byId('key', key), ...prefixes];
      }),
    ),
    'audit.record-request': recorded(
      on(AuditEntry).created({ requestId: present }, async ({ accountId, actor, requestId }) =>
        requestId === null || actor.kind === 'OPERATOR'
          ? []
          : [{ text: requestId, kind: 'request', accountId, id: requestId, ...(actor.id ? { by: actor.id } : {}) }],
      ),
    ),
    'app.record-id': recorded(on(App).created(async (app) => byId('application', app))),
    'deployment.record-id': recorded(on(Deployment).created(async (deployment) => byId('deployment', deployment))),
    'webhook.record-id': recorded(on(Webhook).created(async (webhook) => byId('endpoint', webhook))),
    'domain.record-id': recorded(on(Domain).created(async (domain) => byId('domain', domain))),
    'database.record-id': recorded(on(Database).created(async (database) => byId('database', database))),
    'subscription.record-id': recorded(on(Subscription).created(async (bought) => byId('subscription', bought))),
    'invoice.record-number': recorded(
      on(Invoice).created(async ({ accountId, id, number }) => [
        ...byId('invoice', { accountId, id }),
        { text: number, kind: 'invoice', accountId, id },
      ]),
    ),
  };
}
