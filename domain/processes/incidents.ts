import { EXPORT_DAYS } from '../../contract/accounts/export.ts';
import {
  isRefused,
  LIMIT_NAMES,
  type LimitName,
  limitMessage,
  limitOf,
  limitRule,
} from '../../contract/limits/limits.ts';
import type { AccountExport } from '../../table/entities/account-data.ts';
import { Account, ApiKey } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import type { AuditEntry } from '../../table/entities/audit.ts';
import { Invoice, Subscription } from '../../table/entities/billing.ts';
import type { DistributionTenant } from '../../table/entities/custom-domains.ts';
import type { Domain } from '../../table/entities/registrar.ts';
import type { Event } from '../../table/entities/webhooks.ts';
import { type Incident, incidentOfEntry, incidentOfEvent } from '../accounts/notifications.ts';
import { willCardPay } from '../billing/auto-top-up.ts';
import type { Deps } from '../deps.ts';
import { usageOf } from '../limits/limits.ts';

/** Derives incidents from the items of other areas (docs/decisions/0073-more-notifications.md). Each occurrence is one incident. */

/** Returns a name that tells a subscription from the account's others. */
const nameOfPlan = ({ plan: { name }, hostingDomain }: Subscription): string =>
  hostingDomain ? `The plan ${name} for ${hostingDomain}` : `The plan ${name}`;

/**
 * Returns the incidents that follow from an entry of the audit log, with the name of its plan. An unpaid invoice is no incident if a card is
 * about to pay it: if the card's bank refuses the payment, that is a separate incident.
 */
export async function incidentsOfEntry(deps: Pick<Deps, 'table' | 'now'>, entry: AuditEntry): Promise<Incident[]> {
  const { accountId, action, subjectId } = entry;
  const incidents = incidentOfEntry(entry);
  if (incidents.length > 0 && subjectId !== null && action.startsWith('subscription.')) {
    const subscription = await deps.table.get(Subscription, { accountId, id: subjectId });
    return incidentOfEntry(entry, subscription && nameOfPlan(subscription));
  }
  if (action !== 'invoice.issued' || subjectId === null || incidents.length === 0) return incidents;
  const [account, invoice] = await Promise.all([
    deps.table.get(Account, { id: accountId }),
    deps.table.get(Invoice, { accountId, id: subjectId }),
  ]);
  if (!account || invoice?.status !== 'UNPAID') return [];
  return (await willCardPay(deps, account, invoice.amountCents)) ? [] : incidents;
}

/** Returns the incidents that follow from an event, with the name of its subject. A failed deployment is none if its application is deleted, which fails it. */
export async function incidentsOfEvent(deps: Pick<Deps, 'table'>, event: Event): Promise<Incident[]> {
  const incidents = incidentOfEvent(event);
  const [incident] = incidents;
  if (!incident) return incidents;
  const subject = { accountId: event.accountId, id: incident.subjectId };
  if (incident.kind === 'budget-near') return incidentOfEvent(event, (await deps.table.get(ApiKey, subject))?.name);
  if (incident.kind !== 'deployment-failed') return incidents;
  const app = await deps.table.get(App, subject);
  return app && app.status !== 'DELETING' ? incidentOfEvent(event, app.name) : [];
}

const EXPIRY_TITLES = {
  NO_AUTO_RENEW: 'It does not renew automatically.',
  UNPAID: 'Your wallet cannot pay for its renewal. Add money to renew it.',
  NOT_RENEWABLE: 'It cannot be renewed automatically.',
} as const;

/** Returns the incident of a domain's expiry notice; none if the renewal is paid. */
export function incidentOfExpiry({ accountId, id, name, expiryNotice }: Domain): Incident[] {
  if (expiryNotice?.reason === undefined) return [];
  const { expiresAt, days, at, reason } = expiryNotice;
  const title = `${name} expires on ${expiresAt.slice(0, 10)}. ${EXPIRY_TITLES[reason]}`;
  const path = reason === 'UNPAID' ? '/billing' : `/domains/${id}`;
  return [{ accountId, kind: 'domain-expiring', subjectId: `${id}-${days}`, title, path, at }];
}

/** Returns the incident of a registrant's email address that has to be confirmed, or was not confirmed in time. */
export function incidentOfVerification({ accountId, id, name, owner, verification }: Domain): Incident[] {
  if (verification === undefined) return [];
  const { status, noticeAt: at } = verification;
  const title =
    status === 'PENDING'
      ? `Confirm the registrant's email address for ${name}, or the domain is suspended within 15 days of its registration: follow the link in the ` +
        `email from Amazon Registrar (registrar.amazon.com) or Gandi (domainnameverification.net) to ${owner.email}.`
      : `${name} is suspended: the link in the registrar's email to ${owner.email} was not followed in time. Ask support to have it sent again.`;
  return [{ accountId, kind: 'domain-problem', subjectId: id, title, path: `/domains/${id}`, at }];
}

/** Returns the incident of a custom domain whose certificate cannot be issued or renewed. */
export function incidentOfTenant(tenant: DistributionTenant): Incident[] {
  const { accountId, applicationId, token, host, status, problem, troubledSince: at } = tenant;
  if (at === undefined) return [];
  const title =
    status === 'FAILED'
      ? (problem ?? `No certificate was issued for ${host}.`)
      : `The certificate of ${host} cannot be renewed. ${problem ?? ''}`.trim();
  return [
    { accountId, kind: 'certificate-problem', subjectId: token, title, path: `/apps/${applicationId}/domain`, at },
  ];
}

/** Returns the incident of a finished export. */
export function incidentOfExport({ accountId, id, status, finishedAt: at }: AccountExport): Incident[] {
  if (at === null) return [];
  const title =
    status === 'READY'
      ? `Your export is ready. It can be downloaded for ${EXPORT_DAYS} days.`
      : 'Your export failed: the account has more data than an archive can hold.';
  return [{ accountId, kind: 'export-ready', subjectId: id, title, path: '/settings/data', at }];
}

/** Shares of a limit at which its account is notified, in percent. */
const LEVELS = [100, 80] as const;

/** Limits that are counted on the account, and beyond which requests are refused. */
const COUNTED = LIMIT_NAMES.filter((name) => isRefused(limitRule(name).error));

/** Returns the level that the use of a limit has reached: 100 or 80 percent, or 0. A limit of 1 has no levels: using it is no incident. */
function levelOf(account: Account, name: LimitName, now: Date): number {
  const [used, limit] = [usageOf(account, name, now) ?? 0, limitOf(account, name)];
  return limit < 2 ? 0 : (LEVELS.find((level) => used * 100 >= limit * level) ?? 0);
}

/** Returns the incidents of a change of an account's counters or limits: each limit whose use reached 80% or 100% by the change. */
export function incidentsOfLimits(before: Account, account: Account, now: Date): Incident[] {
  return COUNTED.flatMap((name) => {
    const level = levelOf(account, name, now);
    const [used, limit] = [usageOf(account, name, now) ?? 0, limitOf(account, name)];
    // More applications than the plan allows are a separate incident.
    const isExceeded = name === 'applications' && used > limit;
    if (level <= levelOf(before, name, now) || isExceeded) return [];
    const title = level === 100 ? limitMessage(name, limit) : `${used} of ${limit} ${limitRule(name).counts} are used.`;
    const subjectId = `${name}-${level}`;
    return [
      {
        accountId: account.id,
        kind: 'limit-near',
        subjectId,
        title,
        path: '/developers/limits',
        at: now.toISOString(),
      },
    ];
  });
}
