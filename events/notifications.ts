import { incidentOfTransaction, notify } from '../domain/accounts/notifications.ts';
import type { Deps } from '../domain/deps.ts';
import {
  incidentOfExpiry,
  incidentOfExport,
  incidentOfTenant,
  incidentOfVerification,
  incidentsOfEntry,
  incidentsOfEvent,
  incidentsOfLimits,
} from '../domain/processes/incidents.ts';
import { mailNewInvitations } from '../domain/processes/mail/invitation.ts';
import { AccountExport } from '../table/entities/account-data.ts';
import { Account } from '../table/entities/accounts.ts';
import { AuditEntry } from '../table/entities/audit.ts';
import { WalletTransaction } from '../table/entities/billing.ts';
import { DistributionTenant } from '../table/entities/custom-domains.ts';
import { Team } from '../table/entities/members.ts';
import { Notification } from '../table/entities/notifications.ts';
import { Domain } from '../table/entities/registrar.ts';
import { Event } from '../table/entities/webhooks.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';

/** Rules that notify the members of an account. */
export const notificationRules = (deps: Pick<Deps, 'table' | 'now'> & HandOverDeps): Rules => ({
  'event.notify': on(Event).created(async (event) => notify(deps, await incidentsOfEvent(deps, event))),
  'audit.notify': on(AuditEntry).created(async (entry) => notify(deps, await incidentsOfEntry(deps, entry))),
  'wallet.notify-low-balance': on(WalletTransaction).created((transaction) =>
    notify(deps, incidentOfTransaction(transaction)),
  ),
  'domain.notify-expiry': on(Domain).sets('expiryNotice.at', (domain) => notify(deps, incidentOfExpiry(domain))),
  'domain.notify-verification': on(Domain).sets('verification.noticeAt', (domain) =>
    notify(deps, incidentOfVerification(domain)),
  ),
  'custom-domain.notify-trouble': on(DistributionTenant).sets('troubledSince', (tenant) =>
    notify(deps, incidentOfTenant(tenant)),
  ),
  'export.notify': on(AccountExport).changes('status', (made) => notify(deps, incidentOfExport(made))),
  'account.notify-limit': on(Account).changes(
    [
      'appCount',
      'keyCount',
      'webhookCount',
      'databaseCount',
      'unpaidOrderCount',
      'buildMinutes',
      'databaseMib',
      'databaseUnits',
      'plan',
      'limits',
    ],
    (account, { before }) => notify(deps, incidentsOfLimits(before, account, deps.now())),
  ),
  'team.mail-invitations': on(Team).sets('invitations', (team, { before }) =>
    mailNewInvitations({ mails: deps.jobs.mails }, team, before),
  ),
  // An item is created for the first occurrence on a day. Further occurrences change it, and are not emailed.
  'notification.mail': on(Notification).created(handOverTo(deps, 'mails', Notification)('notification.announce')),
});
