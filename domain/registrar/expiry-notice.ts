import { Invoice } from '../../table/entities/billing.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, HOUR_MS } from '../time.ts';
import { EXPIRY_NOTICE_DAYS, scheduleCheck } from './schedule.ts';

/** Notices that a domain will expire (docs/decisions/0073-more-notifications.md). */

type Reason = NonNullable<NonNullable<Domain['expiryNotice']>['reason']>;

/** A renewal that is unpaid for less than this may still be paid by a charge of the account's card, in milliseconds. */
const CARD_CHARGE_MS = HOUR_MS;

const findInvoice = ({ table }: Pick<Deps, 'table'>, { accountId, renewal }: Domain) =>
  renewal && table.get(Invoice, { accountId, id: renewal.invoiceId });

/** Returns the reason for which a domain will expire; undefined for one whose renewal is paid. */
function reasonOf({ autoRenew }: Domain, invoice: Invoice | undefined): Reason | undefined {
  // The invoice may be paid already, and the domain not know it yet.
  if (invoice?.status === 'PAID') return undefined;
  if (invoice?.status === 'UNPAID') return 'UNPAID';
  return autoRenew ? 'NOT_RENEWABLE' : 'NO_AUTO_RENEW';
}

/**
 * Records the notice that is due before the end of a domain's term, once for each number of days; the stream notifies the account.
 * Of several that are due at once, as for a domain that was adopted late, the last is given alone.
 * @param reason where the caller knows it
 */
export async function giveExpiryNotice(deps: Pick<Deps, 'table' | 'now'>, domain: Domain, reason?: Reason) {
  const { accountId, id, expiresAt, autoRenew } = domain;
  if (!expiresAt) return;
  const now = deps.now();
  const daysLeft = (Date.parse(expiresAt) - now.getTime()) / DAY_MS;
  const days = EXPIRY_NOTICE_DAYS.findLast((each) => daysLeft <= each) ?? EXPIRY_NOTICE_DAYS[0];
  const invoice = await findInvoice(deps, domain);
  const found = reason ?? reasonOf(domain, invoice);
  const expiryNotice = { expiresAt, days, at: now.toISOString(), ...(found === undefined ? {} : { reason: found }) };
  const chargedUntil = invoice && new Date(Date.parse(invoice.issuedAt) + CARD_CHARGE_MS);
  const set =
    found === 'UNPAID' && chargedUntil && chargedUntil > now
      ? scheduleCheck(domain, chargedUntil)
      : { expiryNotice, ...scheduleCheck({ ...domain, expiryNotice }) };
  // A renewal that is switched on or paid meanwhile is looked at again, with what it is then.
  const when = {
    status: { is: 'ACTIVE' as const },
    task: 'absent' as const,
    expiresAt: { is: expiresAt },
    'renewal.paid': 'absent' as const,
    ...(reason === undefined ? { autoRenew: { is: autoRenew } } : {}),
  };
  await ignoreConflict(deps.table.write(Domain, change(Domain, { accountId, id }, { set, when }, concurrentUpdate)));
}
