import { incidentOfEntry, incidentOfEvent, incidentOfTransaction, notify } from '../domain/accounts/notifications.ts';
import { AuditEntry } from '../table/entities/audit.ts';
import { WalletTransaction } from '../table/entities/billing.ts';
import { Event } from '../table/entities/webhooks.ts';
import { on, type Rules } from './on.ts';

export type NotificationRuleDeps = Parameters<typeof notify>[0];

/** Rules that notify the members of an account. */
export const notificationRules = (deps: NotificationRuleDeps): Rules => ({
  'event.notify': on(Event).created((event) => notify(deps, incidentOfEvent(event))),
  'audit.notify': on(AuditEntry).created((entry) => notify(deps, incidentOfEntry(entry))),
  'wallet.notify-low-balance': on(WalletTransaction).created((transaction) =>
    notify(deps, incidentOfTransaction(transaction)),
  ),
});
