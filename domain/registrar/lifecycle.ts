import type { Executions } from '../../providers/workflows/executions.ts';
import { AccountDeletion } from '../../table/entities/account-data.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import { considerAutoTopUp } from '../billing/auto-top-up.ts';
import { issueInvoice } from '../billing/invoices.ts';
import { withWallet } from '../billing/wallet.ts';
import { concurrentUpdate, ignoreConflict, tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { HOUR_MS } from '../time.ts';
import {
  type ConfirmationDeps,
  confirmRegistration,
  ifNotRenewed,
  saveCheck,
  type Unconfirmed,
  voidRenewal,
} from './confirmation.ts';
import { recordExpiryNotice } from './expiry-notice.ts';
import { invoiceLineForYears } from './orders.ts';
import { lifecycleTimes, scheduleCheck, scheduleCheckIn } from './schedule.ts';
import { endDomain, type Task } from './tasks.ts';
import type { ReadTlds } from './tlds.ts';

/** Moves domains through their lifecycle as time passes and invoices are paid or not. */
export type LifecycleDeps = Deps & { domainTasks: Executions };
type AdvanceDeps = LifecycleDeps & ConfirmationDeps & { tlds: ReadTlds };

const idsOf = ({ accountId, id }: Domain) => ({ accountId, domainId: id });

/** Stores a task and starts its execution. Does nothing if the domain already has a task. */
async function beginTask(deps: LifecycleDeps, domain: Domain, task: Omit<Task, 'since'>): Promise<void> {
  const now = deps.now();
  const set = { task: { ...task, since: now.toISOString() }, ...scheduleCheckIn(now) };
  const when = { task: 'absent' as const, status: { is: domain.status } };
  if (await tryChange(deps, Domain, domain, { set, when })) await deps.domainTasks.start(task.execution, idsOf(domain));
}

async function findInvoicedDomain(
  deps: Pick<Deps, 'table'>,
  { accountId, subjectId }: Invoice,
): Promise<Domain | undefined> {
  return subjectId === undefined ? undefined : await deps.table.get(Domain, { accountId, id: subjectId });
}

/** Begins the registration or renewal that a paid invoice is for. An invoice that was voided since has no effect. */
export async function onDomainInvoicePaid(deps: LifecycleDeps, invoice: Invoice): Promise<void> {
  if (invoice.status !== 'PAID') return;
  const domain = await findInvoicedDomain(deps, invoice);
  if (domain?.status === 'PENDING' && domain.invoiceId === invoice.id) {
    const { id, years, yearsAtOnce } = domain;
    // An earlier call may have stored the task and died before the start: the execution is started under the same name.
    if (domain.task) await deps.domainTasks.start(domain.task.execution, idsOf(domain));
    else {
      const firstTerm = Math.min(years, yearsAtOnce);
      await beginTask(deps, domain, { kind: 'REGISTER', years: firstTerm, invoiceId: invoice.id, execution: id });
    }
  } else if (domain?.status === 'ACTIVE' && domain.renewal?.invoiceId === invoice.id) {
    // If another task is in progress, the next check of the domain begins the renewal.
    const when = { 'renewal.invoiceId': { is: invoice.id } };
    const set = { 'renewal.paid': true, ...scheduleCheckIn(deps.now()) };
    await tryChange(deps, Domain, domain, { set, when });
    if (domain.task?.invoiceId === invoice.id) await deps.domainTasks.start(domain.task.execution, idsOf(domain));
    if (!domain.task) await beginRenewal(deps, { ...domain, renewal: { ...domain.renewal, paid: true } });
  }
}

const beginRenewal = async (deps: LifecycleDeps, domain: Domain): Promise<void> => {
  if (!domain.renewal) return;
  const { invoiceId, years } = domain.renewal;
  await beginTask(deps, domain, { kind: 'RENEW', years, invoiceId, execution: `${domain.id}-${invoiceId}` });
};

/** Ends the order of a voided invoice and releases its name, or drops the unpaid renewal. */
export async function onDomainInvoiceVoided(
  deps: Pick<Deps, 'table' | 'now' | 'newId'>,
  invoice: Invoice,
): Promise<void> {
  const domain = await findInvoicedDomain(deps, invoice);
  if (domain?.status === 'PENDING' && domain.invoiceId === invoice.id) {
    await ignoreConflict(endDomain(deps, domain, 'FAILED', { task: 'absent' }));
  } else if (domain?.renewal?.invoiceId === invoice.id && !domain.task) {
    const when = { 'renewal.invoiceId': { is: invoice.id }, task: 'absent' as const };
    const set = { autoRenew: false, ...scheduleCheck({ ...domain, autoRenew: false, renewal: undefined }) };
    await tryChange(deps, Domain, domain, { set, remove: ['renewal'], when });
  }
}

/**
 * Takes a domain's next due step: supervises its task, invoices or renews its next term, ends it, or asks the registrar whether it
 * still has the domain.
 * @returns the result of a check that did not confirm the domain
 */
export async function advanceDomain(deps: AdvanceDeps, domain: Domain): Promise<Unconfirmed | undefined> {
  if (domain.task) await superviseTask(deps, domain, domain.task);
  else if (domain.status === 'PENDING') await checkOrder(deps, domain);
  else if (domain.status === 'ACTIVE') {
    const isSettled = domain.renewal && (await settleRenewal(deps, domain, domain.renewal));
    if (!isSettled) return await checkTerm(deps, domain, deps.now().toISOString());
  }
  return undefined;
}

async function superviseTask(deps: LifecycleDeps, domain: Domain, task: Task): Promise<void> {
  const now = deps.now();
  const status = await deps.domainTasks.status(task.execution);
  // An execution's name can be used once only: the next name contains the time.
  const base = task.execution.replace(/-again\d+$/, '');
  const execution = status === 'ENDED' ? `${base}-again${now.getTime()}` : task.execution;
  const when = { 'task.execution': { is: task.execution } };
  const set = { 'task.execution': execution, ...scheduleCheckIn(now) };
  await tryChange(deps, Domain, domain, { set, when });
  if (status !== 'RUNNING') await deps.domainTasks.start(execution, idsOf(domain));
}

/** Continues an order whose invoice was paid or voided, in case the stream's event was lost. */
async function checkOrder(deps: LifecycleDeps, domain: Domain): Promise<void> {
  const { accountId, invoiceId } = domain;
  const invoice = invoiceId ? await deps.table.get(Invoice, { accountId, id: invoiceId }) : undefined;
  if (invoice?.status === 'PAID') return await onDomainInvoicePaid(deps, invoice);
  if (invoice?.status === 'VOID') return await onDomainInvoiceVoided(deps, invoice);
  const set = scheduleCheckIn(deps.now(), HOUR_MS);
  const when = { status: { is: 'PENDING' }, task: 'absent' as const };
  await tryChange(deps, Domain, domain, { set, when });
  // The stream has the card charged for an unpaid order. Its attempt may be lost.
  await considerAutoTopUp(deps, accountId);
}

/**
 * Continues a renewal whose invoice was paid or voided, in case the stream's event was lost.
 * @returns false for a renewal that is still to be paid
 */
async function settleRenewal(
  deps: LifecycleDeps,
  domain: Domain,
  { paid, invoiceId }: NonNullable<Domain['renewal']>,
): Promise<boolean> {
  const { accountId } = domain;
  const invoice = paid ? undefined : await deps.table.get(Invoice, { accountId, id: invoiceId });
  if (paid || invoice?.status === 'PAID') await beginRenewal(deps, domain);
  else if (invoice?.status === 'VOID') await onDomainInvoiceVoided(deps, invoice);
  else {
    // The stream has the card charged for an unpaid renewal. Its attempt may be lost.
    await considerAutoTopUp(deps, accountId);
    return false;
  }
  return true;
}

async function checkTerm(deps: AdvanceDeps, domain: Domain, now: string): Promise<Unconfirmed | undefined> {
  const { id, expiresAt, registryExpiresAt, yearsAtOnce } = domain;
  const { ends, invoices, renews, notices, confirms } = lifecycleTimes(domain);
  if (ends && ends <= now) {
    // The sweep of invoices, which voids the unpaid one two days earlier, may be late.
    if (await voidRenewal(deps, domain)) await ignoreConflict(endDomain(deps, domain, 'EXPIRED', ifNotRenewed));
  } else if (renews && renews <= now && expiresAt && registryExpiresAt) {
    // A refused renewal is requested again every day. The confirmation of the domain must not wait for it.
    if (confirms <= now) return await confirmRegistration(deps, domain);
    const paidYears = Math.max(1, new Date(expiresAt).getUTCFullYear() - new Date(registryExpiresAt).getUTCFullYear());
    const execution = `${id}-${Date.parse(registryExpiresAt)}`;
    await beginTask(deps, domain, { kind: 'RENEW', years: Math.min(paidYears, yearsAtOnce), execution });
  } else {
    const invoicesNow = invoices !== undefined && invoices <= now;
    if (invoicesNow && (await invoiceNextTerm(deps, domain))) return undefined;
    // A domain that cannot be renewed is scheduled as if it were not to be renewed, or it would stay due.
    const assumed = invoicesNow ? { ...domain, autoRenew: false } : domain;
    if (!notices || notices > now) return await confirmOrPostpone(deps, domain, assumed, now);
    await recordExpiryNotice(deps, assumed, invoicesNow ? 'NOT_RENEWABLE' : undefined);
  }
  return undefined;
}

/**
 * Confirms a domain if that is due, else schedules its next check. A domain that was absent is confirmed at every check: besides its end it has
 * no other due time.
 */
async function confirmOrPostpone(
  deps: AdvanceDeps,
  domain: Domain,
  assumed: Domain,
  now: string,
): Promise<Unconfirmed | undefined> {
  if (domain.absentSince || lifecycleTimes(domain).confirms <= now)
    return await confirmRegistration(deps, domain, assumed);
  await saveCheck(deps, domain, { set: scheduleCheck(assumed) });
  return undefined;
}

/** The length of a renewal, in years. */
const RENEWAL_YEARS = 1;

/**
 * Issues the invoice for the next term.
 * @returns false if none can be issued, or if the account is deleted or being deleted: the domain then ends with its term
 */
async function invoiceNextTerm(deps: AdvanceDeps, domain: Domain): Promise<boolean> {
  const { accountId, id, name, tld } = domain;
  const { lastPaid = '' } = lifecycleTimes(domain);
  const price = (await deps.tlds()).find((each) => each.tld === tld)?.renewal;
  const now = deps.now();
  // The TLD is no longer sold, or it is too late to pay.
  if (price === undefined || lastPaid <= now.toISOString()) return false;
  const [account, deletion] = await Promise.all([
    deps.table.get(Account, { id: accountId }),
    deps.table.get(AccountDeletion, { accountId }),
  ]);
  if (account?.deletion || deletion?.status === 'DELETED') return false;
  const read = () => deps.table.get(Domain, { accountId, id });
  await withWallet(deps, accountId, read, async (wallet, found) => {
    if (!found?.autoRenew || found.renewal || found.status !== 'ACTIVE') return;
    const invoice = issueInvoice(deps, wallet, {
      kind: 'DOMAIN',
      lines: [invoiceLineForYears(`Renewal of ${name}`, RENEWAL_YEARS, price)],
      subjectId: id,
      payBy: lastPaid,
      voidAt: lastPaid,
    });
    const renewal = { invoiceId: invoice.id, years: RENEWAL_YEARS };
    const set = { renewal, ...scheduleCheck({ ...found, renewal }) };
    wallet.add(
      change(
        Domain,
        { accountId, id },
        { set, when: { renewal: 'absent', status: { is: 'ACTIVE' }, autoRenew: { is: true } } },
        concurrentUpdate,
      ),
    );
    const { number, status } = invoice;
    await deps.commit(
      wallet.writes(),
      undefined,
      wallet.audited('invoice.issued', invoice.id, { number, status, kind: 'DOMAIN' }),
    );
  });
  return true;
}

/** Domains whose task, order or term needs attention. */
export const domainQueue: DueQueue<typeof Domain, AdvanceDeps, Unconfirmed> = {
  queue: 'DOMAIN',
  entity: Domain,
  act: advanceDomain,
};
