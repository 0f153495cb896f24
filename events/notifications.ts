import { incidentOfEntry, incidentOfEvent, incidentOfTransaction, notify } from '../domain/accounts/notifications.ts';
import { AuditEntry } from '../table/entities/audit.ts';
import { WalletTransaction } from '../table/entities/billing.ts';
import { Notification } from '../table/entities/notifications.ts';
import { Event } from '../table/entities/webhooks.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';

export type NotificationRuleDeps = Parameters<typeof notify>[0] & HandOverDeps;

/** Rules that notify the members of an account. */
export const notificationRules = (deps: NotificationRuleDeps): Rules => ({
  'event.notify': on(Event).created((event) => notify(deps, incidentOfEvent(event))),
  'audit.notify': on(AuditEntry).created((entry) => notify(deps, incidentOfEntry(entry))),
  'wallet.notify-low-balance': on(WalletTransaction).created((transaction) =>
    notify(deps, incidentOfTransaction(transaction)),
  ),
  // The first time on a day: what happens again changes the item, and is not sent again.
  'notification.mail': on(Notification).created(handOverTo(deps, 'mails', Notification)('notification.announce')),
});
