import { accountRules } from './accounts.ts';
import { appRules } from './apps.ts';
import { billingRules } from './billing.ts';
import { customDomainRules } from './custom-domains.ts';
import { databaseRules } from './databases.ts';
import { deploymentRules } from './deployments.ts';
import { dnsRules } from './dns.ts';
import { hostingRules } from './hosting.ts';
import { lookupRules } from './lookups.ts';
import { notificationRules } from './notifications.ts';
import type { Rules } from './on.ts';
import { registrarRules } from './registrar.ts';
import { webhookRules } from './webhooks.ts';

const AREAS = [
  accountRules,
  appRules,
  billingRules,
  customDomainRules,
  databaseRules,
  deploymentRules,
  dnsRules,
  hostingRules,
  lookupRules,
  notificationRules,
  registrarRules,
  webhookRules,
] as const;

/** The dependencies of all areas' rules. */
export type RuleDeps = (typeof AREAS)[number] extends (deps: infer D) => Rules ? D : never;

/** Returns all stream rules by id. */
export const rules = (deps: RuleDeps): Rules => merge(AREAS.map((area) => area(deps)));

/** Merges the rules of all areas. Throws if two areas use the same id, because one rule would silently replace the other. */
function merge(areas: readonly Rules[]): Rules {
  const entries = areas.flatMap((area) => Object.entries(area));
  const merged = Object.fromEntries(entries);
  if (Object.keys(merged).length < entries.length) throw new Error('two rules of the stream have the same id');
  return merged;
}
