import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Registrar } from '../../providers/registrar/registrar.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { voidUnpaidInvoice } from '../billing/unpaid-invoices.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, HOUR_MS, timestampAfter } from '../time.ts';
import { checkDelegation } from './delegation.ts';
import { scheduleCheck } from './schedule.ts';
import { endDomain } from './tasks.ts';
import { checkVerification } from './verification.ts';

/**
 * A registered domain can leave without a word to us: its owner moves it to another registrar, or the registry deletes it.
 * The registrar is asked every week whether it still has the domain (docs/decisions/0032-names.md).
 */
export type ConfirmationDeps = Deps & { registrar: Pick<Registrar, 'registered' | 'delegate' | 'verification'> };

/** Time for which the registrar must deny a domain before it ends, in milliseconds. It is asked every day. */
const GRACE_PERIOD_MS = 7 * DAY_MS;
/** Delay after a question that the registrar did not answer, in milliseconds. */
const RETRY_DELAY_MS = HOUR_MS;
/** One short attempt, because the sweep has other items: the next one is an hour later. */
const QUESTION_OPTIONS = { attempts: 1, timeout: TIMEOUTS_S.registrar.sweep * 1000 };

/** Result of a check that did not confirm a domain, for logs and metrics. */
export interface Unconfirmed {
  accountId: string;
  domainId: string;
  domain: string;
  /**
   * `UNKNOWN` where the registrar did not answer the question, a request for the domain's name servers or the question about its registrant,
   * which proves nothing; `MISDELEGATED`
   * where the registry refuses its name servers.
   */
  outcome: 'ABSENT' | 'ENDED' | 'UNKNOWN' | 'MISDELEGATED';
  /** Time at which the registrar first denied the domain. */
  absentSince?: string;
  /** The name servers that the registry has in place of the domain's. */
  present?: readonly string[];
  error?: unknown;
}

/**
 * Asks the registrar whether it still has a domain, and ends one that it has denied for the whole grace period.
 * @param seen the domain as its next check is scheduled, where that differs from what is stored
 */
export async function confirmRegistration(
  deps: ConfirmationDeps,
  domain: Domain,
  seen: Domain = domain,
): Promise<Unconfirmed | undefined> {
  const { accountId, id: domainId, name } = domain;
  const ids = { accountId, domainId, domain: name };
  // One time for all that is written, so that a request made now counts as made with this check.
  const now = deps.now();
  let registered: Awaited<ReturnType<Registrar['registered']>>;
  try {
    registered = await deps.registrar.registered(name, QUESTION_OPTIONS);
  } catch (error) {
    // Not a failure of the item: ten of those would quarantine the domain, and nothing would renew it.
    const later = new Date(deps.now().getTime() + RETRY_DELAY_MS);
    await saveCheck(deps, domain, { set: scheduleCheck(seen, later) });
    return { ...ids, outcome: 'UNKNOWN', error };
  }
  if (registered) {
    const [delegated, verified] = await Promise.all([
      checkDelegation(deps, domain, registered.nameservers, now),
      checkVerification(deps, domain, now),
    ]);
    const { delegation, isRefused, error = verified.error } = delegated;
    const { absentSince: _, ...rest } = seen;
    const confirmedAt = now.toISOString();
    const { verification } = verified;
    const set = {
      confirmedAt,
      ...scheduleCheck({ ...rest, confirmedAt, delegation, verification }),
      ...(delegation ? { delegation } : {}),
      ...(verification ? { verification } : {}),
    };
    const gone = [...(delegation ? [] : ['delegation']), ...(verification ? [] : ['verification'])];
    await saveCheck(deps, domain, { set, remove: ['absentSince', ...gone] });
    if (isRefused) return { ...ids, outcome: 'MISDELEGATED', present: delegation?.present ?? [] };
    return error === undefined ? undefined : { ...ids, outcome: 'UNKNOWN', error };
  }
  const absentSince = domain.absentSince ?? now.toISOString();
  if (Date.parse(absentSince) + GRACE_PERIOD_MS <= now.getTime())
    return await endAbsent(deps, { ...domain, absentSince });
  const tomorrow = timestampAfter(now, DAY_MS);
  const { expiresAt } = domain;
  const next = expiresAt && expiresAt < tomorrow ? expiresAt : tomorrow;
  await saveCheck(deps, domain, { set: { absentSince, ...schedule(Domain, next) } });
  return { ...ids, outcome: 'ABSENT', absentSince };
}

/** A task, an end, or a change of the renewal that came meanwhile decides instead: it has scheduled its own next check. */
const ifIdle = ({ autoRenew, renewal }: Domain): NonNullable<Change['when']> => ({
  ...({ status: { is: 'ACTIVE' }, task: 'absent', 'renewal.paid': 'absent' } as const),
  autoRenew: { is: autoRenew },
  'renewal.invoiceId': unchanged(renewal?.invoiceId),
});

/** Writes what a check found, and the time of the next one, unless the domain has changed since it was read. */
export const saveCheck = (deps: Pick<Deps, 'table'>, domain: Domain, what: Pick<Change, 'set' | 'remove'>) =>
  ignoreConflict(deps.table.write(Domain, change(Domain, domain, { ...what, when: ifIdle(domain) }, concurrentUpdate)));

/** Ends a domain that the registrar no longer has. What was invoiced for its next term is void first. */
async function endAbsent(
  deps: ConfirmationDeps,
  domain: Domain & { absentSince: string },
): Promise<Unconfirmed | undefined> {
  const { accountId, id, name, absentSince, renewal } = domain;
  if (renewal) {
    await voidUnpaidInvoice(deps, accountId, renewal.invoiceId);
    const invoice = await deps.table.get(Invoice, { accountId, id: renewal.invoiceId });
    // Paid a moment ago: the renewal is attempted and refunded, and the domain ends with the next check.
    if (invoice?.status === 'PAID') return undefined;
  }
  // What is stored as its end is the end here: what was paid for beyond it stands on the invoices.
  const also = { absentSince, autoRenew: false, expiresAt: deps.now().toISOString() };
  const idle = { task: 'absent', 'renewal.paid': 'absent' } as const;
  const ended = await ignoreConflict(endDomain(deps, domain, 'EXPIRED', idle, also));
  if (!ended) return undefined;
  return { accountId, domainId: id, domain: name, outcome: 'ENDED', absentSince };
}
