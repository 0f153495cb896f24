import { accountRules } from './accounts.ts';
import { appRules } from './apps.ts';
import { type BillingRuleDeps, billingRules } from './billing.ts';
import { type CustomDomainRuleDeps, customDomainRules } from './custom-domains.ts';
import { databaseRules } from './databases.ts';
import { type DeploymentRuleDeps, deploymentRules } from './deployments.ts';
import { type DnsRuleDeps, dnsRules } from './dns.ts';
import { type HostingRuleDeps, hostingRules } from './hosting.ts';
import { type LookupRuleDeps, lookupRules } from './lookups.ts';
import { type NotificationRuleDeps, notificationRules } from './notifications.ts';
import type { Rules } from './on.ts';
import { type RegistrarRuleDeps, registrarRules } from './registrar.ts';
import { type WebhookRuleDeps, webhookRules } from './webhooks.ts';

export type RuleDeps = BillingRuleDeps &
  CustomDomainRuleDeps &
  DeploymentRuleDeps &
  DnsRuleDeps &
  HostingRuleDeps &
  LookupRuleDeps &
  NotificationRuleDeps &
  RegistrarRuleDeps &
  WebhookRuleDeps;

/** Returns all stream rules by id. */
export const rules = (deps: RuleDeps): Rules =>
  merge([
    accountRules(deps),
    appRules(deps),
    billingRules(deps),
    customDomainRules(deps),
    databaseRules(deps),
    deploymentRules(deps),
    dnsRules(deps),
    hostingRules(deps),
    lookupRules(deps),
    notificationRules(deps),
    registrarRules(deps),
    webhookRules(deps),
  ]);

/** Merges the rules of all areas. Throws if two areas use the same id, because one rule would silently replace the other. */
function merge(areas: readonly Rules[]): Rules {
  const entries = areas.flatMap((area) => Object.entries(area));
  const merged = Object.fromEntries(entries);
  if (Object.keys(merged).length < entries.length) throw new Error('two rules of the stream have the same id');
  return merged;
}
