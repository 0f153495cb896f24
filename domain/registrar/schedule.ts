import { Domain } from '../../table/entities/registrar.ts';
import { DAY } from '../../table/entity.ts';
import { type DueAttributes, schedule } from '../../table/schedule.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, timestampAfter, timestampBefore } from '../time.ts';

/** Renewing begins this long before the end: the registrar is asked, and an invoice issued. */
const RENEWAL_LEAD_MS = 30 * DAY_MS;
/** A renewal is paid for until this long before the end: `.co.za` can be renewed until a day before it. */
const RENEWAL_CUTOFF_MS = 2 * DAY_MS;
/** The registrar is asked this often whether it still has a domain, in milliseconds. */
const CONFIRMATION_INTERVAL_MS = 7 * DAY_MS;
/** The same while the registrar waits for the registrant to confirm the address, in milliseconds. */
const VERIFICATION_INTERVAL_MS = DAY_MS;
/** A registry has this long for a change of name servers before the registrar is asked about it, in milliseconds. */
const DELEGATION_MS = HOUR_MS;
/** Time without a heartbeat after which a task counts as dead, in milliseconds. */
const TASK_HEARTBEAT_TIMEOUT_MS = 5 * MINUTE_MS;

/** Days before the end of its term at which a domain's account is told, unless it is certain to renew. */
export const EXPIRY_NOTICE_DAYS = [30, 7, 1] as const;

/** Days for which the ended domain of a deleted account is kept: what follows from its end reads it. */
const ENDED_DAYS = 30;

/** Returns the attribute by which the table deletes the ended domain of a deleted account. */
export const forgetLater = (now: Date) => ({ expiresAtEpoch: Math.floor(now.getTime() / 1000) + ENDED_DAYS * DAY });

/** The same day some years later; 28 February for 29. */
export function addYears(iso: string, years: number): string {
  const date = new Date(iso);
  const month = date.getUTCMonth();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  if (date.getUTCMonth() !== month) date.setUTCDate(0);
  return date.toISOString();
}

/** The times in a domain's life. A domain that the registrar denies is neither invoiced nor renewed. */
export function lifecycleTimes(domain: Domain) {
  const { expiresAt, registryExpiresAt, autoRenew, renewal, absentSince } = domain;
  const end = expiresAt ?? undefined;
  const given = domain.expiryNotice?.expiresAt === expiresAt ? domain.expiryNotice?.days : undefined;
  const nextNotice = EXPIRY_NOTICE_DAYS.find((days) => given === undefined || days < given);
  const confirmedAt = domain.confirmedAt ?? domain.registeredAt ?? domain.createdAt;
  const askedAt = domain.delegation?.askedAt ?? '';
  return {
    /** It is over. */
    ends: end,
    /** The next term is invoiced. */
    invoices: end && autoRenew && !renewal && !absentSince ? timestampBefore(end, RENEWAL_LEAD_MS) : undefined,
    /** An invoice for the next term can no longer be paid. */
    lastPaid: end && timestampBefore(end, RENEWAL_CUTOFF_MS),
    /** The registry's term is renewed because more is paid for. */
    renews:
      end && !absentSince && registryExpiresAt && registryExpiresAt < timestampBefore(end, DAY_MS)
        ? timestampBefore(registryExpiresAt, RENEWAL_LEAD_MS)
        : undefined,
    /** The account is told that it will expire. Of one that the registrar denies, its end is told. */
    notices: end && !absentSince && nextNotice ? timestampBefore(end, nextNotice * DAY_MS) : undefined,
    /** The registrar is asked whether it still has it, and with which name servers. */
    confirms:
      askedAt >= confirmedAt
        ? timestampAfter(askedAt, DELEGATION_MS)
        : timestampAfter(confirmedAt, domain.verification ? VERIFICATION_INTERVAL_MS : CONFIRMATION_INTERVAL_MS),
  };
}

/** Returns the attributes that schedule the next check of a domain by its times, not before `earliest`. */
export function scheduleCheck(domain: Domain, earliest?: Date): DueAttributes {
  const { ends, invoices, renews, notices, confirms } = lifecycleTimes(domain);
  const least = earliest?.toISOString() ?? '';
  const next = [ends, invoices, renews, notices, confirms].flatMap((time) => time ?? []).sort()[0] ?? least;
  return schedule(Domain, next > least ? next : least);
}

/** Returns the same for a domain that has a task, or waits to be paid for. */
export const scheduleCheckIn = (now: Date, milliseconds: number = TASK_HEARTBEAT_TIMEOUT_MS): DueAttributes =>
  schedule(Domain, timestampAfter(now, milliseconds));
