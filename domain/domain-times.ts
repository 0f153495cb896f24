import { type Domain, lookingAt } from '../table/entities/registrar.ts';

const DAY = 86_400_000;
/** Renewing begins this long before the end: the registrar is asked, and an invoice issued. */
const RENEWAL = 30 * DAY;
/** A renewal is paid for until this long before the end: `.co.za` can be renewed until a day before it. */
const RENEWABLE = 2 * DAY;
/** How long a task may be without a sign of life. */
const TASK = 300_000;

const before = (iso: string, milliseconds: number) => new Date(Date.parse(iso) - milliseconds).toISOString();

/** The same day some years later; 28 February for 29. */
export function yearsLater(iso: string, years: number): string {
  const date = new Date(iso);
  const month = date.getUTCMonth();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  if (date.getUTCMonth() !== month) date.setUTCDate(0);
  return date.toISOString();
}

/** The times in a domain's life. */
export function timesOf({ expiresAt, registryExpiresAt, autoRenew, renewal }: Domain) {
  const end = expiresAt ?? undefined;
  return {
    /** It is over. */
    ends: end,
    /** The next term is invoiced. */
    invoices: end && autoRenew && !renewal ? before(end, RENEWAL) : undefined,
    /** An invoice for the next term can no longer be paid. */
    lastPaid: end && before(end, RENEWABLE),
    /** The registry's term is renewed because more is paid for. */
    renews:
      end && registryExpiresAt && registryExpiresAt < before(end, DAY) ? before(registryExpiresAt, RENEWAL) : undefined,
  };
}

/** When a domain is to be looked at next, as attributes to set: not before `earliest`. */
export function lookAgain(domain: Domain, earliest?: Date): { lookAt: string } & ReturnType<typeof lookingAt> {
  const { ends, invoices, renews } = timesOf(domain);
  const least = earliest?.toISOString() ?? '';
  const next = [ends, invoices, renews].flatMap((time) => time ?? []).sort()[0] ?? least;
  const lookAt = next > least ? next : least;
  return { lookAt, ...lookingAt(lookAt) };
}

/** The same for one that is being worked on, or waits to be paid for. */
export function lookSoon(now: Date, milliseconds: number = TASK): { lookAt: string } & ReturnType<typeof lookingAt> {
  const lookAt = new Date(now.getTime() + milliseconds).toISOString();
  return { lookAt, ...lookingAt(lookAt) };
}
