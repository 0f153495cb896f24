import { Domain } from '../../table/entities/registrar.ts';
import { DAY, epoch } from '../../table/entity.ts';
import { type DueAttributes, schedule } from '../../table/schedule.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, timestampAfter, timestampBefore } from '../time.ts';

/** Time before the end of a term at which its renewal begins: the next term is invoiced, or requested if it is paid. In milliseconds. */
const RENEWAL_LEAD_MS = 30 * DAY_MS;
/** Time before the end of a term until which its renewal can be paid, in milliseconds: `.co.za` can be renewed until a day before the end. */
const RENEWAL_CUTOFF_MS = 2 * DAY_MS;
/** Interval at which the registrar is asked whether it still has a domain, in milliseconds. */
const CONFIRMATION_INTERVAL_MS = 7 * DAY_MS;
/** The same interval while the registrar waits for the registrant to confirm the email address, in milliseconds. */
const VERIFICATION_INTERVAL_MS = DAY_MS;
/** Time that a registry has for a change of name servers before the change is checked, in milliseconds. */
const DELEGATION_MS = HOUR_MS;
/** Time without a heartbeat after which a task counts as dead, in milliseconds. */
const TASK_HEARTBEAT_TIMEOUT_MS = 5 * MINUTE_MS;

/** Days before the end of a domain's term at which its account is notified, unless the renewal is paid. */
export const EXPIRY_NOTICE_DAYS = [30, 7, 1] as const;

/** Days for which the ended domain of a deleted account is kept, because the consequences of its end still read it. */
const ENDED_DAYS = 30;

/** Returns the expiry attribute by which the table deletes the ended domain of a deleted account. */
export const expireLater = (now: Date) => ({ expiresAtEpoch: epoch(now) + ENDED_DAYS * DAY });

/** Returns the same day some years later; 28 February for 29 February if that year has none. */
export function addYears(iso: string, years: number): string {
  const date = new Date(iso);
  const month = date.getUTCMonth();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  if (date.getUTCMonth() !== month) date.setUTCDate(0);
  return date.toISOString();
}

/** Returns the times of a domain's lifecycle, in ISO 8601. A domain that the registrar no longer has is neither invoiced nor renewed. */
export function lifecycleTimes(domain: Domain) {
  const { expiresAt, registryExpiresAt, autoRenew, renewal, absentSince } = domain;
  const end = expiresAt ?? undefined;
  const notifiedDays = domain.expiryNotice?.expiresAt === expiresAt ? domain.expiryNotice?.days : undefined;
  const nextNotice = EXPIRY_NOTICE_DAYS.find((days) => notifiedDays === undefined || days < notifiedDays);
  const confirmedAt = domain.confirmedAt ?? domain.registeredAt ?? domain.createdAt;
  const askedAt = domain.delegation?.askedAt ?? '';
  return {
    /** The domain expires. */
    ends: end,
    /** The next term is invoiced. */
    invoices: end && autoRenew && !renewal && !absentSince ? timestampBefore(end, RENEWAL_LEAD_MS) : undefined,
    /** An invoice for the next term can no longer be paid. */
    lastPaid: end && timestampBefore(end, RENEWAL_CUTOFF_MS),
    /** The registry's term is renewed, because a longer term is paid. */
    renews:
      end && !absentSince && registryExpiresAt && registryExpiresAt < timestampBefore(end, DAY_MS)
        ? timestampBefore(registryExpiresAt, RENEWAL_LEAD_MS)
        : undefined,
    /** The account is notified that the domain will expire; not for an absent domain, whose end is notified instead. */
    notices: end && !absentSince && nextNotice ? timestampBefore(end, nextNotice * DAY_MS) : undefined,
    /** The registrar is asked whether it still has the domain, and with which name servers. */
    confirms:
      askedAt >= confirmedAt
        ? timestampAfter(askedAt, DELEGATION_MS)
        : timestampAfter(confirmedAt, domain.verification ? VERIFICATION_INTERVAL_MS : CONFIRMATION_INTERVAL_MS),
  };
}

/** Returns the attributes that schedule a domain's next check at the first of its lifecycle times, but not before `earliest`. */
export function scheduleCheck(domain: Domain, earliest?: Date): DueAttributes {
  const { ends, invoices, renews, notices, confirms } = lifecycleTimes(domain);
  const earliestTime = earliest?.toISOString() ?? '';
  const next = [ends, invoices, renews, notices, confirms].flatMap((time) => time ?? []).sort()[0] ?? earliestTime;
  return schedule(Domain, next > earliestTime ? next : earliestTime);
}

/** Returns the attributes that schedule a domain's next check after a delay, for a domain that has a task or an unpaid order. */
export const scheduleCheckIn = (now: Date, milliseconds: number = TASK_HEARTBEAT_TIMEOUT_MS): DueAttributes =>
  schedule(Domain, timestampAfter(now, milliseconds));
