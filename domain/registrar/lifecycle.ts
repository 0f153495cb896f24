import type { Executions } from '../../providers/workflows/executions.ts';
import { AccountDeletion } from '../../table/entities/account-data.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import { issueInvoice } from '../billing/invoices.ts';
import { withWallet } from '../billing/wallet.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { HOUR_MS } from '../time.ts';
import { type ConfirmationDeps, confirmRegistration, saveCheck, type Unconfirmed } from './confirmation.ts';
import { giveExpiryNotice } from './expiry-notice.ts';
import { invoiceLineForYears } from './orders.ts';
import { lifecycleTimes, scheduleCheck, scheduleCheckIn } from './schedule.ts';
import { endDomain } from './tasks.ts';
import type { ReadTlds } from './tlds.ts';

/** Moves domains through their lifecycle as time passes and invoices are paid or not. */
export type LifecycleDeps = Deps & { domainTasks: Executions };
type AdvanceDeps = LifecycleDeps & ConfirmationDeps & { tlds: ReadTlds };
type Task = NonNullable<Domain['task']>;

const idsOf = ({ accountId, id }: Domain) => ({ accountId, domainId: id });

/** Stores a task and starts its execution. A second caller finds the task of the first. */
async function beginTask(deps: LifecycleDeps, domain: Domain, task: Omit<Task, 'since'>): Promise<void> {
  const now = deps.now();
  const set = { task: { ...task, since: now.toISOString() }, ...scheduleCheckIn(now) };
  const when = { task: 'absent' as const, status: { is: domain.status } };
  await ignoreConflict(
    (async () => {
      await deps.table.write(Domain, change(Domain, domain, { set, when }, concurrentUpdate));
      await deps.domainTasks.start(task.execution, idsOf(domain));
    })(),
  );
}

async function findInvoicedDomain(
  deps: Pick<Deps, 'table'>,
  { accountId, subjectId }: Invoice,
): Promise<Domain | undefined> {
  return subjectId === undefined ? undefined : await deps.table.get(Domain, { accountId, id: subjectId });
}

/** A paid invoice has its domain registered, or renewed. One that was voided since has no effect. */
export async function onDomainInvoicePaid(deps: LifecycleDeps, invoice: Invoice): Promise<void> {
  if (invoice.status !== 'PAID') return;
  const domain = await findInvoicedDomain(deps, invoice);
  if (domain?.status === 'PENDING' && domain.invoiceId === invoice.id) {
    const { id, years, yearsAtOnce } = domain;
    // The write may have been ours and the start may not: a replay starts it (by the same name).
    if (domain.task) await deps.domainTasks.start(domain.task.execution, idsOf(domain));
    else {
      const atOnce = Math.min(years, yearsAtOnce);
      await beginTask(deps, domain, { kind: 'REGISTER', years: atOnce, invoiceId: invoice.id, execution: id });
    }
  } else if (domain?.status === 'ACTIVE' && domain.renewal?.invoiceId === invoice.id) {
    // Another task may be under way: then this one follows when the domain is looked at next.
    const when = { 'renewal.invoiceId': { is: invoice.id } };
    const set = { 'renewal.paid': true, ...scheduleCheckIn(deps.now()) };
    await ignoreConflict(deps.table.write(Domain, change(Domain, domain, { set, when }, concurrentUpdate)));
    if (domain.task?.invoiceId === invoice.id) await deps.domainTasks.start(domain.task.execution, idsOf(domain));
    if (!domain.task) await beginRenewal(deps, { ...domain, renewal: { ...domain.renewal, paid: true } });
  }
}

const beginRenewal = async (deps: LifecycleDeps, domain: Domain): Promise<void> => {
  if (!domain.renewal) return;
  const { invoiceId, years } = domain.renewal;
  await beginTask(deps, domain, { kind: 'RENEW', years, invoiceId, execution: `${domain.id}-${invoiceId}` });
};

/** Ends the order of an unpaid invoice and frees its name, or drops an unpaid renewal. */
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
    await ignoreConflict(
      deps.table.write(Domain, change(Domain, domain, { set, remove: ['renewal'], when }, concurrentUpdate)),
    );
  }
}

/**
 * Takes a domain's next due step: supervises its task, invoices or renews its next term, ends it, or asks the registrar
 * whether it still has it.
 * @returns what the registrar did not confirm
 */
export async function advanceDomain(deps: AdvanceDeps, domain: Domain): Promise<Unconfirmed | undefined> {
  if (domain.task) await superviseTask(deps, domain, domain.task);
  else if (domain.status === 'PENDING') await checkOrder(deps, domain);
  else if (domain.status === 'ACTIVE') return await checkTerm(deps, domain, deps.now().toISOString());
  return undefined;
}

async function superviseTask(deps: LifecycleDeps, domain: Domain, task: Task): Promise<void> {
  const now = deps.now();
  const status = await deps.domainTasks.status(task.execution);
  // An execution's name is good for one: the next one has the time in it.
  const base = task.execution.replace(/-again\d+$/, '');
  const execution = status === 'ENDED' ? `${base}-again${now.getTime()}` : task.execution;
  const when = { 'task.execution': { is: task.execution } };
  const set = { 'task.execution': execution, ...scheduleCheckIn(now) };
  await ignoreConflict(deps.table.write(Domain, change(Domain, domain, { set, when }, concurrentUpdate)));
  if (status !== 'RUNNING') await deps.domainTasks.start(execution, idsOf(domain));
}

/** An order whose invoice's fate we may not have heard of. */
async function checkOrder(deps: LifecycleDeps, domain: Domain): Promise<void> {
  const { accountId, invoiceId } = domain;
  const invoice = invoiceId ? await deps.table.get(Invoice, { accountId, id: invoiceId }) : undefined;
  if (invoice?.status === 'PAID') return await onDomainInvoicePaid(deps, invoice);
  if (invoice?.status === 'VOID') return await onDomainInvoiceVoided(deps, invoice);
  const set = scheduleCheckIn(deps.now(), HOUR_MS);
  const when = { status: { is: 'PENDING' }, task: 'absent' as const };
  await ignoreConflict(deps.table.write(Domain, change(Domain, domain, { set, when }, concurrentUpdate)));
}

async function checkTerm(deps: AdvanceDeps, domain: Domain, now: string): Promise<Unconfirmed | undefined> {
  const { id, expiresAt, registryExpiresAt, yearsAtOnce, renewal } = domain;
  const { ends, invoices, renews, notices, confirms } = lifecycleTimes(domain);
  if (renewal?.paid) await beginRenewal(deps, domain);
  else if (ends && ends <= now) {
    await ignoreConflict(endDomain(deps, domain, 'EXPIRED', { task: 'absent' }));
  } else if (renews && renews <= now && expiresAt && registryExpiresAt) {
    // A renewal that is refused is requested again every day: whether the domain is still there is asked beside it.
    if (confirms <= now) return await confirmRegistration(deps, domain);
    const left = Math.max(1, new Date(expiresAt).getUTCFullYear() - new Date(registryExpiresAt).getUTCFullYear());
    const execution = `${id}-${Date.parse(registryExpiresAt)}`;
    await beginTask(deps, domain, { kind: 'RENEW', years: Math.min(left, yearsAtOnce), execution });
  } else {
    const invoicesNow = invoices !== undefined && invoices <= now;
    if (invoicesNow && (await invoiceNextTerm(deps, domain))) return undefined;
    // What cannot be renewed is looked at as what is not to be: at its next other time.
    const seen = invoicesNow ? { ...domain, autoRenew: false } : domain;
    if (!notices || notices > now) return await confirmOrPostpone(deps, domain, seen, now);
    await giveExpiryNotice(deps, seen, invoicesNow ? 'NOT_RENEWABLE' : undefined);
  }
  return undefined;
}

/** A domain that was denied is asked for whenever it is looked at: it has no other time but its end. */
async function confirmOrPostpone(
  deps: AdvanceDeps,
  domain: Domain,
  seen: Domain,
  now: string,
): Promise<Unconfirmed | undefined> {
  if (domain.absentSince || lifecycleTimes(domain).confirms <= now)
    return await confirmRegistration(deps, domain, seen);
  await saveCheck(deps, domain, { set: scheduleCheck(seen) });
  return undefined;
}

/** The length of a renewal, in years. */
const RENEWAL_YEARS = 1;

/** Issues the invoice for the next term. @returns false where none can be issued, or the account is or will be deleted: the domain ends when its term does */
async function invoiceNextTerm(deps: AdvanceDeps, domain: Domain): Promise<boolean> {
  const { accountId, id, name, tld } = domain;
  const { lastPaid = '' } = lifecycleTimes(domain);
  const price = (await deps.tlds()).find((each) => each.tld === tld)?.renewal;
  const now = deps.now();
  // No longer sold, or too late.
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
