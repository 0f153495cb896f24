import type { Dns } from '../../providers/dns/dns.ts';
import { Refused, type Registrar } from '../../providers/registrar/registrar.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { Domain, DomainName, mirrorOverdue, Zone } from '../../table/entities/registrar.ts';
import { change, erase, type Write } from '../../table/writes.ts';
import { voidInvoice } from '../billing/invoices.ts';
import { stale, withWallet } from '../billing/wallet.ts';
import type { Deps } from '../deps.ts';
import { lookAgain, yearsLater } from '../domain-times.ts';
import { overtaken, unlessOvertaken } from '../overtaken.ts';
import { emit } from '../webhooks/events.ts';

/**
 * What a registrar is asked to do with a domain, step by step; the state machine calls these (lib/state-machines/registrar.ts). Each may
 * be done twice, and die anywhere: money returns only when it is certain that the registrar has not done what it was paid for.
 */
export interface DomainIds {
  accountId: string;
  domainId: string;
}
type Task = NonNullable<Domain['task']>;

/** How far a task is: the registrar is at it, has done it, has refused it; or there is no task any more. */
export interface Progress {
  state: 'PENDING' | 'DONE' | 'REFUSED' | 'ENDED';
  /** When to look again. */
  waitSeconds: number;
}
const ended: Progress = { state: 'ENDED', waitSeconds: 1 };
const at = (state: Progress['state'], deps: Pick<Deps, 'now'>, { since }: Task): Progress => {
  const seconds = (deps.now().getTime() - Date.parse(since)) / 1000;
  // Mostly it takes seconds, sometimes days: the longer it has taken, the longer we wait.
  return { state, waitSeconds: Math.min(900, Math.max(1, Math.round(seconds / 5))) };
};

/** By how much the registrar's clock may be off, in milliseconds. */
const SKEW = 60_000;
const DAY = 86_400_000;

async function find(deps: Pick<Deps, 'table'>, { accountId, domainId }: DomainIds) {
  const domain = await deps.table.get(Domain, { accountId, id: domainId });
  return domain?.task ? { domain, task: domain.task } : undefined;
}
const itself = ({ accountId, id }: Domain) => ({ accountId, id });
const still = ({ since }: Task) => ({ 'task.since': { is: since } });

/** Asks the registrar. An earlier request whose answer was lost is found and taken for this one. */
export async function submitTask(deps: Deps & { registrar: Registrar }, ids: DomainIds): Promise<Progress> {
  const found = await find(deps, ids);
  if (!found) return ended;
  const { domain, task } = found;
  if (task.operationId) return at('PENDING', deps, task);
  const submitted = await submitOnce(deps.registrar, domain, task);
  if (typeof submitted === 'string') return at(submitted, deps, task);
  const set = { 'task.operationId': submitted.operationId };
  await unlessOvertaken(
    deps.table.write(Domain, change(Domain, itself(domain), { set, when: still(task) }, overtaken)),
  );
  return at('PENDING', deps, task);
}

type Submitted = 'DONE' | 'REFUSED' | { operationId: string };

async function submitOnce(registrar: Registrar, domain: Domain, task: Task): Promise<Submitted> {
  const since = new Date(Date.parse(task.since) - SKEW);
  const earlier = await registrar.find(task.kind === 'RENEW' ? 'RENEW_DOMAIN' : 'REGISTER_DOMAIN', domain.name, since);
  // One that was refused may be an earlier owner's: asking again tells.
  if (earlier && earlier.status !== 'REFUSED') return { operationId: earlier.id };
  return task.kind === 'REGISTER' ? await register(registrar, domain, task) : await renew(registrar, domain, task);
}

async function register(registrar: Registrar, domain: Domain, { years }: Task): Promise<Submitted> {
  const { name, owner, privacy } = domain;
  try {
    return { operationId: await registrar.register({ domain: name, years, owner, privacy }) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // Taken by ourselves: the request was taken on, and its answer lost.
    return (await registrar.registered(name)) ? 'DONE' : 'REFUSED';
  }
}

async function renew(registrar: Registrar, domain: Domain, { years }: Task): Promise<Submitted> {
  const { name, registryExpiresAt = '' } = domain;
  const done = async () => {
    const now = await registrar.registered(name);
    return { now, renewed: now !== undefined && now.expiresAt.getTime() > Date.parse(registryExpiresAt) + DAY };
  };
  const { now, renewed } = await done();
  if (renewed) return 'DONE';
  if (!now) return 'REFUSED';
  try {
    return { operationId: await registrar.renew(name, years, now.expiresAt.getUTCFullYear()) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return (await done()).renewed ? 'DONE' : 'REFUSED';
  }
}

/** Asks how far the registrar is. */
export async function checkTask(deps: Deps & { registrar: Registrar }, ids: DomainIds): Promise<Progress> {
  const found = await find(deps, ids);
  if (!found) return ended;
  const { task } = found;
  if (!task.operationId) return at('PENDING', deps, task);
  const { status } = await deps.registrar.operation(task.operationId);
  return at(status, deps, task);
}

/** The registrar has done it: so has the platform now. */
export async function finishTask(deps: Deps & { registrar: Registrar; dns: Dns }, ids: DomainIds): Promise<void> {
  const found = await find(deps, ids);
  if (!found) return;
  const { domain, task } = found;
  const registered = await deps.registrar.registered(domain.name);
  if (!registered) throw new Error(`the registrar has done ${task.kind} of ${domain.name} and does not know it`);
  const finished =
    task.kind === 'REGISTER' ? await activated(deps, domain, registered) : renewed(deps, domain, task, registered);
  await unlessOvertaken(deps.table.transact(finished));
}

type Registered = NonNullable<Awaited<ReturnType<Registrar['registered']>>>;

async function activated(
  deps: Deps & { registrar: Registrar; dns: Dns },
  domain: Domain,
  { expiresAt, nameservers: present }: Registered,
): Promise<Write[]> {
  const { accountId, id, name, years, yearsAtOnce } = domain;
  const zone = domain.dnsProvider === 'PLATFORM' ? await deps.dns.ensureZone(name, id) : undefined;
  const nameservers = zone?.nameservers ?? domain.nameservers;
  if ([...present].sort().join() !== [...nameservers].sort().join()) await deps.registrar.delegate(name, nameservers);
  const registryExpiresAt = expiresAt.toISOString();
  const set = {
    ...{ status: 'ACTIVE' as const, registeredAt: deps.now().toISOString(), registryExpiresAt, nameservers },
    expiresAt: yearsLater(registryExpiresAt, Math.max(0, years - yearsAtOnce)),
  };
  const writes = [
    change(
      Domain,
      itself(domain),
      {
        set: { ...set, ...lookAgain({ ...domain, ...set, task: undefined }) },
        remove: ['task'],
        when: { status: { is: 'PENDING' } },
      },
      overtaken,
    ),
    emit(deps, accountId, 'domain.registered', { domainId: id, domain: name }),
  ];
  // What was recorded while the domain was pending goes to the name servers with this version.
  const open = zone && { set: { hostedZoneId: zone.id, ...mirrorOverdue(deps.now()) }, add: { version: 1 } };
  return open ? [...writes, change(Zone, { accountId, domainId: id }, open)] : writes;
}

function renewed(deps: Deps, domain: Domain, task: Task, { expiresAt }: Registered): Write[] {
  const set = {
    registryExpiresAt: expiresAt.toISOString(),
    // What an invoice pays for comes on top; otherwise it was paid for from the beginning.
    expiresAt: task.invoiceId && domain.expiresAt ? yearsLater(domain.expiresAt, task.years) : domain.expiresAt,
  };
  const renewal = task.invoiceId ? undefined : domain.renewal;
  const next = lookAgain({ ...domain, ...set, task: undefined, renewal }, deps.now());
  const remove = task.invoiceId ? ['task', 'renewal'] : ['task'];
  return [change(Domain, itself(domain), { set: { ...set, ...next }, remove, when: still(task) }, overtaken)];
}

/**
 * The registrar refuses, and has done nothing: the payment returns to the wallet, its invoice is void.
 * @returns what it refused; undefined where another run was faster
 */
export async function refuseTask(deps: Deps, ids: DomainIds): Promise<Task['kind'] | undefined> {
  const { accountId } = ids;
  const read = async () => {
    const found = await find(deps, ids);
    const id = found?.task.invoiceId;
    return { found, invoice: id ? await deps.table.get(Invoice, { accountId, id }) : undefined };
  };
  return await withWallet(deps, accountId, read, async (wallet, { found, invoice }) => {
    if (!found) return undefined;
    if (invoice && invoice.status !== 'VOID') voidInvoice(wallet, invoice);
    wallet.add(...refused(deps, found.domain, found.task));
    await deps.table.transact(wallet.writes());
    return found.task.kind;
  });
}

function refused(deps: Deps, domain: Domain, task: Task): Write[] {
  if (task.kind === 'REGISTER') return letGo(domain, 'FAILED', still(task));
  // A term that is paid for is asked for again, day by day; one that was refunded is not bought again by itself.
  const next = lookAgain({ ...domain, task: undefined }, new Date(deps.now().getTime() + DAY));
  const set = task.invoiceId ? { autoRenew: false, ...next } : next;
  const remove = task.invoiceId ? ['task', 'renewal'] : ['task'];
  return [change(Domain, itself(domain), { set, remove, when: still(task) }, stale)];
}

/** Ends a domain; its name is free. */
export function letGo(
  domain: Domain,
  status: 'FAILED' | 'EXPIRED',
  when: Parameters<typeof erase>[2],
  lost: () => Error = stale,
): Write[] {
  const { name, id } = domain;
  const remove = ['task', 'renewal', 'lookAt', 'duePk', 'dueAt'];
  return [
    change(Domain, itself(domain), { set: { status }, remove, when: { ...when, status: { is: domain.status } } }, lost),
    erase(DomainName, { name }, { domainId: { is: id } }, lost),
  ];
}
