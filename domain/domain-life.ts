import type { Executions } from '../providers/workflows/executions.ts';
import { Invoice } from '../table/entities/billing.ts';
import { Domain } from '../table/entities/registrar.ts';
import { splitKey } from '../table/keys.ts';
import { change } from '../table/writes.ts';
import { issueInvoice } from './billing/invoices.ts';
import { stale, withWallet } from './billing/wallet.ts';
import type { Deps } from './deps.ts';
import { lookAgain, lookSoon, timesOf } from './domain-times.ts';
import { overtaken, unlessOvertaken } from './overtaken.ts';
import { yearsLine } from './registrar/orders.ts';
import { letGo } from './registrar/tasks.ts';
import type { Extensions } from './registrar/tlds.ts';

/** What becomes of a domain as time passes and invoices are paid, or are not. */
export type LifeDeps = Deps & { domainTasks: Executions };
type Task = NonNullable<Domain['task']>;

const HOUR = 3_600_000;

const itself = ({ accountId, id }: Domain) => ({ accountId, id });
const ids = ({ accountId, id }: Domain) => ({ accountId, domainId: id });

/** Writes a task down and starts what does it. Whoever is second finds it there. */
async function begin(deps: LifeDeps, domain: Domain, task: Omit<Task, 'since'>): Promise<void> {
  const now = deps.now();
  const set = { task: { ...task, since: now.toISOString() }, ...lookSoon(now) };
  const when = { task: 'absent' as const, status: { is: domain.status } };
  await unlessOvertaken(
    (async () => {
      await deps.table.write(Domain, change(Domain, itself(domain), { set, when }, overtaken));
      await deps.domainTasks.start(task.execution, ids(domain));
    })(),
  );
}

async function domainOf(deps: Pick<Deps, 'table'>, { accountId, subjectId }: Invoice): Promise<Domain | undefined> {
  return subjectId === undefined ? undefined : await deps.table.get(Domain, { accountId, id: subjectId });
}

/** A paid invoice has its domain registered, or renewed. */
export async function domainPaid(deps: LifeDeps, invoice: Invoice): Promise<void> {
  const domain = await domainOf(deps, invoice);
  if (domain?.status === 'PENDING' && domain.invoiceId === invoice.id) {
    const { id, years, yearsAtOnce } = domain;
    // The write may have been ours and the start may not: a replay starts it (by the same name).
    if (domain.task) await deps.domainTasks.start(domain.task.execution, ids(domain));
    else {
      const atOnce = Math.min(years, yearsAtOnce);
      await begin(deps, domain, { kind: 'REGISTER', years: atOnce, invoiceId: invoice.id, execution: id });
    }
  } else if (domain?.status === 'ACTIVE' && domain.renewal?.invoiceId === invoice.id) {
    // Another task may be under way: then this one follows when the domain is looked at next.
    const when = { 'renewal.invoiceId': { is: invoice.id } };
    const set = { 'renewal.paid': true, ...lookSoon(deps.now()) };
    await unlessOvertaken(deps.table.write(Domain, change(Domain, itself(domain), { set, when }, overtaken)));
    if (domain.task?.invoiceId === invoice.id) await deps.domainTasks.start(domain.task.execution, ids(domain));
    if (!domain.task) await beginRenewal(deps, { ...domain, renewal: { ...domain.renewal, paid: true } });
  }
}

const beginRenewal = async (deps: LifeDeps, domain: Domain): Promise<void> => {
  if (!domain.renewal) return;
  const { invoiceId, years } = domain.renewal;
  await begin(deps, domain, { kind: 'RENEW', years, invoiceId, execution: `${domain.id}-${invoiceId}` });
};

/** An invoice that nobody paid lets go of the name it held; a renewal that nobody paid is no more. */
export async function domainUnpaid(deps: Pick<Deps, 'table' | 'now'>, invoice: Invoice): Promise<void> {
  const domain = await domainOf(deps, invoice);
  if (domain?.status === 'PENDING' && domain.invoiceId === invoice.id) {
    await unlessOvertaken(deps.table.transact(letGo(domain, 'FAILED', { task: 'absent' }, overtaken)));
  } else if (domain?.renewal?.invoiceId === invoice.id && !domain.task) {
    const when = { 'renewal.invoiceId': { is: invoice.id }, task: 'absent' as const };
    const set = lookAgain({ ...domain, autoRenew: false });
    await unlessOvertaken(
      deps.table.write(Domain, change(Domain, itself(domain), { set, remove: ['renewal'], when }, overtaken)),
    );
  }
}

/** Whatever is due for a domain: its task is seen to, its next term invoiced or asked for, or it ends. */
export async function advanceDomain(deps: LifeDeps & { extensions: Extensions }, domain: Domain): Promise<void> {
  const now = deps.now();
  if (domain.task) await superviseTask(deps, domain, domain.task);
  else if (domain.status === 'PENDING') await lookAtOrder(deps, domain);
  else if (domain.status === 'ACTIVE') await lookAtTerm(deps, domain, now.toISOString());
}

async function superviseTask(deps: LifeDeps, domain: Domain, task: Task): Promise<void> {
  const now = deps.now();
  const status = await deps.domainTasks.status(task.execution);
  // An execution's name is good for one: the next one has the time in it.
  const base = task.execution.replace(/-again\d+$/, '');
  const execution = status === 'ENDED' ? `${base}-again${now.getTime()}` : task.execution;
  const when = { 'task.execution': { is: task.execution } };
  const set = { 'task.execution': execution, ...lookSoon(now) };
  await unlessOvertaken(deps.table.write(Domain, change(Domain, itself(domain), { set, when }, overtaken)));
  if (status !== 'RUNNING') await deps.domainTasks.start(execution, ids(domain));
}

/** An order whose invoice's fate we may not have heard of. */
async function lookAtOrder(deps: LifeDeps, domain: Domain): Promise<void> {
  const { accountId, invoiceId } = domain;
  const invoice = invoiceId ? await deps.table.get(Invoice, { accountId, id: invoiceId }) : undefined;
  if (invoice?.status === 'PAID') return await domainPaid(deps, invoice);
  if (invoice?.status === 'VOID') return await domainUnpaid(deps, invoice);
  const set = lookSoon(deps.now(), HOUR);
  const when = { status: { is: 'PENDING' }, task: 'absent' as const };
  await unlessOvertaken(deps.table.write(Domain, change(Domain, itself(domain), { set, when }, overtaken)));
}

async function lookAtTerm(deps: LifeDeps & { extensions: Extensions }, domain: Domain, now: string): Promise<void> {
  const { id, expiresAt, registryExpiresAt, yearsAtOnce, renewal } = domain;
  const { ends, invoices, renews } = timesOf(domain);
  if (renewal?.paid) return await beginRenewal(deps, domain);
  if (ends && ends <= now) {
    await unlessOvertaken(deps.table.transact(letGo(domain, 'EXPIRED', { task: 'absent' }, overtaken)));
    return;
  }
  if (renews && renews <= now && expiresAt && registryExpiresAt) {
    const left = Math.max(1, new Date(expiresAt).getUTCFullYear() - new Date(registryExpiresAt).getUTCFullYear());
    const execution = `${id}-${Date.parse(registryExpiresAt)}`;
    return await begin(deps, domain, { kind: 'RENEW', years: Math.min(left, yearsAtOnce), execution });
  }
  if (invoices && invoices <= now) return await invoiceNextTerm(deps, domain);
  const set = lookAgain(domain);
  const when = { status: { is: 'ACTIVE' }, task: 'absent' as const };
  await unlessOvertaken(deps.table.write(Domain, change(Domain, itself(domain), { set, when }, overtaken)));
}

/** The length of a renewal, in years. */
const RENEWED = 1;

async function invoiceNextTerm(deps: LifeDeps & { extensions: Extensions }, domain: Domain): Promise<void> {
  const { accountId, id, name, tld } = domain;
  const { lastPaid = '' } = timesOf(domain);
  const price = (await deps.extensions()).find((each) => each.tld === tld)?.renewal;
  const now = deps.now();
  if (price === undefined || lastPaid <= now.toISOString()) {
    // No longer sold, or too late: it ends when its term does.
    const set = lookAgain({ ...domain, autoRenew: false });
    const off = change(Domain, itself(domain), { set, when: { status: { is: 'ACTIVE' } } }, overtaken);
    await unlessOvertaken(deps.table.write(Domain, off));
    return;
  }
  const read = () => deps.table.get(Domain, { accountId, id });
  await withWallet(deps, accountId, read, async (wallet, found) => {
    if (!found || found.renewal || found.status !== 'ACTIVE') return;
    const invoice = issueInvoice(deps, wallet, {
      kind: 'DOMAIN',
      lines: [yearsLine(`Renewal of ${name}`, RENEWED, price)],
      subjectId: id,
      payBy: lastPaid,
      voidAt: lastPaid,
    });
    const renewal = { invoiceId: invoice.id, years: RENEWED };
    const set = { renewal, ...lookAgain({ ...found, renewal }) };
    wallet.add(
      change(Domain, { accountId, id }, { set, when: { renewal: 'absent', status: { is: 'ACTIVE' } } }, stale),
    );
    await deps.table.transact(wallet.writes());
  });
}

/** How many domains one run looks at. */
const BATCH = 100;

/** Every minute: looks at the domains whose time has come. @returns how many */
export async function reconcileDomains(deps: LifeDeps & { extensions: Extensions }): Promise<number> {
  const due = await deps.table.due('DOMAIN', deps.now().toISOString(), BATCH);
  const failures: unknown[] = [];
  for (const { pk, sk } of due) {
    const [accountId = '', id = ''] = [splitKey(pk)[1], splitKey(sk)[1]];
    const domain = await deps.table.get(Domain, { accountId, id });
    // One that cannot be helped must not keep the others waiting.
    if (domain) await advanceDomain(deps, domain).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} domains could not be seen to`);
  return due.length;
}
