import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Registrar } from '../../providers/registrar/registrar.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { voidUnpaidInvoice } from '../billing/unpaid-invoices.ts';
import { ignoreConflict, tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, HOUR_MS, timestampAfter } from '../time.ts';
import { checkDelegation } from './delegation.ts';
import { scheduleCheck } from './schedule.ts';
import { endDomain } from './tasks.ts';
import { checkVerification } from './verification.ts';

/**
 * The platform is not notified when a registered domain leaves: its owner transfers it to another registrar, or the registry deletes
 * it. Therefore a weekly check asks the registrar whether it still has the domain (docs/decisions/0032-names.md).
 */
export type ConfirmationDeps = Deps & { registrar: Pick<Registrar, 'registered' | 'delegate' | 'verification'> };

/** Time for which the registrar must report a domain as absent before the domain ends, in milliseconds. It is asked every day meanwhile. */
const GRACE_PERIOD_MS = 7 * DAY_MS;
/** Delay of the next check after the registrar did not answer, in milliseconds. */
const RETRY_DELAY_MS = HOUR_MS;
/** One short attempt, because the sweep has other items. The next one follows an hour later. */
const QUESTION_OPTIONS = { attempts: 1, timeout: TIMEOUTS_S.registrar.sweep * 1000 };

/** Result of a check that did not confirm a domain, for logs and metrics. */
export interface Unconfirmed {
  accountId: string;
  domainId: string;
  domain: string;
  /**
   * `ABSENT`: the registrar does not have the domain. `ENDED`: it did not have it for the whole grace period, and the domain was ended.
   * `UNKNOWN`: the registrar did not answer one of the requests, which proves nothing. `MISDELEGATED`: the registry refuses the domain's
   * name servers.
   */
  outcome: 'ABSENT' | 'ENDED' | 'UNKNOWN' | 'MISDELEGATED';
  /** Time at which the registrar first reported the domain as absent. */
  absentSince?: string;
  /** The name servers that the registry has instead of the domain's. */
  present?: readonly string[];
  error?: unknown;
}

/**
 * Asks the registrar whether it still has a domain, and ends the domain after it was absent for the whole grace period.
 * @param assumed the domain from which the next check is scheduled, if that differs from the stored one
 */
export async function confirmRegistration(
  deps: ConfirmationDeps,
  domain: Domain,
  assumed: Domain = domain,
): Promise<Unconfirmed | undefined> {
  const { accountId, id: domainId, name } = domain;
  const ids = { accountId, domainId, domain: name };
  // All writes use the same time, so that a request that this check makes counts as part of it.
  const now = deps.now();
  let registered: Awaited<ReturnType<Registrar['registered']>>;
  try {
    registered = await deps.registrar.registered(name, QUESTION_OPTIONS);
  } catch (error) {
    // This is no failure of the item: ten failures would quarantine the domain, and nothing would renew it.
    const later = new Date(deps.now().getTime() + RETRY_DELAY_MS);
    await saveCheck(deps, domain, { set: scheduleCheck(assumed, later) });
    return { ...ids, outcome: 'UNKNOWN', error };
  }
  if (registered) {
    const [delegated, verified] = await Promise.all([
      checkDelegation(deps, domain, registered.nameservers, now),
      checkVerification(deps, domain, now),
    ]);
    const { delegation, isRefused, error = verified.error } = delegated;
    const { absentSince: _, ...others } = assumed;
    const confirmedAt = now.toISOString();
    const { verification } = verified;
    const set = {
      confirmedAt,
      ...scheduleCheck({ ...others, confirmedAt, delegation, verification }),
      ...(delegation ? { delegation } : {}),
      ...(verification ? { verification } : {}),
    };
    const removed = [...(delegation ? [] : ['delegation']), ...(verification ? [] : ['verification'])];
    await saveCheck(deps, domain, { set, remove: ['absentSince', ...removed] });
    if (isRefused) return { ...ids, outcome: 'MISDELEGATED', present: delegation?.present ?? [] };
    return error === undefined ? undefined : { ...ids, outcome: 'UNKNOWN', error };
  }
  const absentSince = domain.absentSince ?? now.toISOString();
  if (Date.parse(absentSince) + GRACE_PERIOD_MS <= now.getTime())
    return await endAbsent(deps, { ...domain, absentSince });
  const nextDay = timestampAfter(now, DAY_MS);
  const { expiresAt } = domain;
  const next = expiresAt && expiresAt < nextDay ? expiresAt : nextDay;
  await saveCheck(deps, domain, { set: { absentSince, ...schedule(Domain, next) } });
  return { ...ids, outcome: 'ABSENT', absentSince };
}

/** The condition that neither a task, nor the domain's end, nor a change of its renewal came first: each of them schedules its own check. */
const ifIdle = ({ autoRenew, renewal }: Domain): NonNullable<Change['when']> => ({
  ...({ status: { is: 'ACTIVE' }, task: 'absent', 'renewal.paid': 'absent' } as const),
  autoRenew: { is: autoRenew },
  'renewal.invoiceId': unchanged(renewal?.invoiceId),
});

/** Stores the result of a check and the time of the next one, unless the domain has changed since it was read. */
export const saveCheck = (deps: Pick<Deps, 'table'>, domain: Domain, update: Pick<Change, 'set' | 'remove'>) =>
  tryChange(deps, Domain, domain, { ...update, when: ifIdle(domain) });

/** The condition on the end of a registered domain: no task is in progress, and no renewal is paid. */
export const ifNotRenewed = { task: 'absent', 'renewal.paid': 'absent' } as const;

/**
 * Voids the unpaid invoice for a domain's next term: one that stayed would take money for a domain that has ended.
 * @returns false if the invoice was just paid, so that the renewal is attempted, and refunded if it is refused
 */
export const voidRenewal = async (deps: Deps, { accountId, renewal }: Domain): Promise<boolean> =>
  !renewal || (await voidUnpaidInvoice(deps, accountId, renewal.invoiceId)) !== 'PAID';

/** Ends a domain that the registrar no longer has. Voids the unpaid invoice for its next term first. */
async function endAbsent(
  deps: ConfirmationDeps,
  domain: Domain & { absentSince: string },
): Promise<Unconfirmed | undefined> {
  const { accountId, id, name, absentSince } = domain;
  // The domain then ends with the next check.
  if (!(await voidRenewal(deps, domain))) return undefined;
  // The domain ends now. A term that was paid beyond this time remains visible in the invoices.
  const endFields = { absentSince, autoRenew: false, expiresAt: deps.now().toISOString() };
  const ended = await ignoreConflict(endDomain(deps, domain, 'EXPIRED', ifNotRenewed, endFields));
  if (!ended) return undefined;
  return { accountId, domainId: id, domain: name, outcome: 'ENDED', absentSince };
}
