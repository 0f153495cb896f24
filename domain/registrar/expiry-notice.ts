import { Invoice } from '../../table/entities/billing.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, HOUR_MS } from '../time.ts';
import { EXPIRY_NOTICE_DAYS, scheduleCheck } from './schedule.ts';

/** Expiry notices of domains (docs/decisions/0073-more-notifications.md). */

type Reason = NonNullable<NonNullable<Domain['expiryNotice']>['reason']>;

/** Time for which an unpaid renewal may still be paid by a charge of the account's card, in milliseconds. */
const CARD_CHARGE_MS = HOUR_MS;

const findInvoice = ({ table }: Pick<Deps, 'table'>, { accountId, renewal }: Domain) =>
  renewal && table.get(Invoice, { accountId, id: renewal.invoiceId });

/** Returns the reason why a domain will expire; undefined if its renewal is paid. */
function reasonOf({ autoRenew }: Domain, invoice: Invoice | undefined): Reason | undefined {
  // The invoice may already be paid, although the domain is not updated yet.
  if (invoice?.status === 'PAID') return undefined;
  if (invoice?.status === 'UNPAID') return 'UNPAID';
  return autoRenew ? 'NOT_RENEWABLE' : 'NO_AUTO_RENEW';
}

/**
 * Records the notice that is due before the end of a domain's term, once for each number of days. The stream then notifies the account. If
 * several notices are due at the same time, as for a domain that was adopted late, only the last one is recorded.
 * @param reason given if the caller knows it
 */
export async function recordExpiryNotice(deps: Pick<Deps, 'table' | 'now'>, domain: Domain, reason?: Reason) {
  const { accountId, id, expiresAt, autoRenew } = domain;
  if (!expiresAt) return;
  const now = deps.now();
  const daysLeft = (Date.parse(expiresAt) - now.getTime()) / DAY_MS;
  const days = EXPIRY_NOTICE_DAYS.findLast((noticeDays) => daysLeft <= noticeDays) ?? EXPIRY_NOTICE_DAYS[0];
  const invoice = await findInvoice(deps, domain);
  const found = reason ?? reasonOf(domain, invoice);
  const expiryNotice = { expiresAt, days, at: now.toISOString(), ...(found === undefined ? {} : { reason: found }) };
  const chargedUntil = invoice && new Date(Date.parse(invoice.issuedAt) + CARD_CHARGE_MS);
  const set =
    found === 'UNPAID' && chargedUntil && chargedUntil > now
      ? scheduleCheck(domain, chargedUntil)
      : { expiryNotice, ...scheduleCheck({ ...domain, expiryNotice }) };
  // On a conflict the renewal was switched or paid in the meantime. The next sweep checks the domain again.
  const when = {
    status: { is: 'ACTIVE' as const },
    task: 'absent' as const,
    expiresAt: { is: expiresAt },
    'renewal.paid': 'absent' as const,
    ...(reason === undefined ? { autoRenew: { is: autoRenew } } : {}),
  };
  await tryChange(deps, Domain, { accountId, id }, { set, when });
}
