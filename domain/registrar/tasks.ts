import * as z from 'zod/mini';
import type { Dns } from '../../providers/dns/dns.ts';
import { type Registrar, RegistrarRejected } from '../../providers/registrar/registrar.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { released, Zone, zoneSyncDue } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, create, remove, type Write } from '../../table/writes.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { voidInvoice } from '../billing/invoices.ts';
import { withWallet } from '../billing/wallet.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, MINUTE_MS } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { isDelegatedTo } from './domains.ts';
import { addYears, forgetLater, scheduleCheck } from './schedule.ts';
import { checkVerification } from './verification.ts';

/**
 * The steps of a registrar task; the state machine calls them (lib/state-machines/registrar.ts). Each may run twice and
 * crash anywhere. Money is refunded only when the registrar has certainly not done what it was paid for.
 */
export interface DomainIds {
  accountId: string;
  domainId: string;
}
type Task = NonNullable<Domain['task']>;

/** Progress of a task: pending at the registrar, done, refused, or ended earlier. */
export interface Progress {
  state: 'PENDING' | 'DONE' | 'REFUSED' | 'ENDED';
  /** Seconds until the next check. */
  waitSeconds: number;
}
const ended: Progress = { state: 'ENDED', waitSeconds: 1 };
const progressOf = (state: Progress['state'], deps: Pick<Deps, 'now'>, { since }: Task): Progress => {
  const seconds = (deps.now().getTime() - Date.parse(since)) / 1000;
  // Mostly it takes seconds, sometimes days: the longer it has taken, the longer we wait.
  return { state, waitSeconds: Math.min(900, Math.max(1, Math.round(seconds / 5))) };
};

/** Maximum deviation of the registrar's clock, in milliseconds. */
const CLOCK_SKEW_MS = MINUTE_MS;

async function findDomainAndTask(deps: Pick<Deps, 'table'>, { accountId, domainId }: DomainIds) {
  const domain = await deps.table.get(Domain, { accountId, id: domainId });
  return domain?.task ? { domain, task: domain.task } : undefined;
}
const ifTaskUnchanged = ({ since }: Task) => ({ 'task.since': { is: since } });

/** Asks the registrar. An earlier request whose answer was lost is found and taken for this one. */
export async function submitTask(deps: Deps & { registrar: Registrar }, ids: DomainIds): Promise<Progress> {
  const found = await findDomainAndTask(deps, ids);
  if (!found) return ended;
  const { domain, task } = found;
  if (task.operationId) return progressOf('PENDING', deps, task);
  const submitted = await submitOnce(deps.registrar, domain, task);
  if (typeof submitted === 'string') return progressOf(submitted, deps, task);
  const set = { 'task.operationId': submitted.operationId };
  await ignoreConflict(
    deps.table.write(Domain, change(Domain, domain, { set, when: ifTaskUnchanged(task) }, concurrentUpdate)),
  );
  return progressOf('PENDING', deps, task);
}

type Submitted = 'DONE' | 'REFUSED' | { operationId: string };

async function submitOnce(registrar: Registrar, domain: Domain, task: Task): Promise<Submitted> {
  const since = new Date(Date.parse(task.since) - CLOCK_SKEW_MS);
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
    if (!(error instanceof RegistrarRejected)) throw error;
    // Taken by ourselves: the request was taken on, and its answer lost.
    return (await registrar.registered(name)) ? 'DONE' : 'REFUSED';
  }
}

async function renew(registrar: Registrar, domain: Domain, { years }: Task): Promise<Submitted> {
  const { name, registryExpiresAt = '' } = domain;
  const done = async () => {
    const now = await registrar.registered(name);
    return { now, renewed: now !== undefined && now.expiresAt.getTime() > Date.parse(registryExpiresAt) + DAY_MS };
  };
  const { now, renewed } = await done();
  if (renewed) return 'DONE';
  if (!now) return 'REFUSED';
  try {
    return { operationId: await registrar.renew(name, years, now.expiresAt.getUTCFullYear()) };
  } catch (error) {
    if (!(error instanceof RegistrarRejected)) throw error;
    return (await done()).renewed ? 'DONE' : 'REFUSED';
  }
}

/** Asks how far the registrar is. */
export async function checkTask(deps: Deps & { registrar: Registrar }, ids: DomainIds): Promise<Progress> {
  const found = await findDomainAndTask(deps, ids);
  if (!found) return ended;
  const { task } = found;
  if (!task.operationId) return progressOf('PENDING', deps, task);
  const { status } = await deps.registrar.operation(task.operationId);
  return progressOf(status, deps, task);
}

type FinishDeps = Deps & { registrar: Registrar; dns: Pick<Dns, 'ensureZone'> };

/** The registrar has done it: so has the platform now. */
export async function finishTask(deps: FinishDeps, ids: DomainIds): Promise<void> {
  const found = await findDomainAndTask(deps, ids);
  if (!found) return;
  const { domain, task } = found;
  const registered = await deps.registrar.registered(domain.name);
  if (!registered) throw new Error(`the registrar has done ${task.kind} of ${domain.name} and does not know it`);
  const finished =
    task.kind === 'REGISTER' ? await activate(deps, domain, registered) : applyRenewal(deps, domain, task, registered);
  const { accountId, id, name, status } = domain;
  await ignoreConflict(
    deps.commit(finished, undefined, {
      action: task.kind === 'REGISTER' ? 'domain.registered' : 'domain.renewed',
      accountId,
      subjectId: id,
      before: { status, expiresAt: domain.registryExpiresAt },
      after: { domain: name, status: 'ACTIVE', expiresAt: registered.expiresAt.toISOString() },
    }),
  );
}

type Registered = NonNullable<Awaited<ReturnType<Registrar['registered']>>>;

async function activate(
  deps: FinishDeps,
  domain: Domain,
  { expiresAt, nameservers: present }: Registered,
): Promise<Write[]> {
  const { accountId, id, name, years, yearsAtOnce } = domain;
  const zone = domain.dnsProvider === 'PLATFORM' ? await deps.dns.ensureZone(name, id, present) : undefined;
  const nameservers = zone?.nameservers ?? domain.nameservers;
  const isDelegated = isDelegatedTo(nameservers, present);
  if (!isDelegated) await deps.registrar.delegate(name, nameservers);
  const registryExpiresAt = expiresAt.toISOString();
  const now = deps.now().toISOString();
  // Without an answer it is asked with the first confirmation.
  const { verification } = await checkVerification(deps, domain, deps.now());
  const set = {
    status: 'ACTIVE' as const,
    registeredAt: now,
    registryExpiresAt,
    nameservers,
    confirmedAt: now,
    // The registry decides later: the registrar is asked about it soon.
    ...(isDelegated ? {} : { delegation: { askedAt: now } }),
    ...(verification ? { verification } : {}),
    expiresAt: addYears(registryExpiresAt, Math.max(0, years - yearsAtOnce)),
  };
  const writes = [
    change(
      Domain,
      domain,
      {
        set: { ...set, ...scheduleCheck({ ...domain, ...set, task: undefined }) },
        remove: ['task'],
        when: { status: { is: 'PENDING' } },
      },
      concurrentUpdate,
    ),
    emit(deps, accountId, 'domain.registered', { domainId: id, domain: name }),
  ];
  // What was recorded while the domain was pending goes to the name servers with this version.
  const open = zone && { set: { hostedZoneId: zone.id, ...zoneSyncDue(deps.now()) }, add: { version: 1 } };
  const of = { accountId, domainId: id };
  if (open) return [...writes, change(Zone, of, open)];
  // The zone that the registrar made beside is of no use to its owner: it is released at once.
  const unused = { ...of, name, version: 0, mirrored: 0, ...released(deps.now()) };
  return [...writes, create(Zone, unused, concurrentUpdate)];
}

function applyRenewal(deps: Deps, domain: Domain, task: Task, { expiresAt }: Registered): Write[] {
  const set = {
    confirmedAt: deps.now().toISOString(),
    registryExpiresAt: expiresAt.toISOString(),
    // What an invoice pays for comes on top; otherwise it was paid for from the beginning.
    expiresAt: task.invoiceId && domain.expiresAt ? addYears(domain.expiresAt, task.years) : domain.expiresAt,
  };
  const renewal = task.invoiceId ? undefined : domain.renewal;
  const next = scheduleCheck({ ...domain, ...set, task: undefined, renewal, absentSince: undefined }, deps.now());
  const removedAttributes = ['task', 'absentSince', ...(task.invoiceId ? ['renewal'] : [])];
  return [
    change(
      Domain,
      domain,
      { set: { ...set, ...next }, remove: removedAttributes, when: ifTaskUnchanged(task) },
      concurrentUpdate,
    ),
  ];
}

/**
 * The registrar refuses, and has done nothing: the payment returns to the wallet, its invoice is void.
 * @returns what it refused; undefined where another run was faster
 */
export async function refuseTask(deps: Deps, ids: DomainIds): Promise<Task['kind'] | undefined> {
  const { accountId } = ids;
  const read = async () => {
    const found = await findDomainAndTask(deps, ids);
    const id = found?.task.invoiceId;
    return { found, invoice: id ? await deps.table.get(Invoice, { accountId, id }) : undefined };
  };
  return await withWallet(deps, accountId, read, async (wallet, { found, invoice }) => {
    if (!found) return undefined;
    const { domain, task } = found;
    if (invoice && invoice.status !== 'VOID') voidInvoice(wallet, invoice);
    wallet.add(...applyRefusal(deps, domain, task));
    const action = task.kind === 'REGISTER' ? 'domain.failed' : 'domain.renewal-refused';
    const after = { domain: domain.name, ...(task.kind === 'REGISTER' ? { status: 'FAILED' } : {}) };
    const change = wallet.audited(action, domain.id, after, { status: domain.status });
    return await deps.commit(wallet.writes(), task.kind, change);
  });
}

function applyRefusal(deps: Deps, domain: Domain, task: Task): Write[] {
  if (task.kind === 'REGISTER') return endRegistration(deps, domain, 'FAILED', ifTaskUnchanged(task));
  // A paid term is requested again day by day; a refunded one is not bought again automatically.
  const next = scheduleCheck({ ...domain, task: undefined }, new Date(deps.now().getTime() + DAY_MS));
  const set = task.invoiceId ? { autoRenew: false, ...next } : next;
  const removedAttributes = task.invoiceId ? ['task', 'renewal'] : ['task'];
  return [change(Domain, domain, { set, remove: removedAttributes, when: ifTaskUnchanged(task) }, concurrentUpdate)];
}

/**
 * Ends a domain; its name is free, and its zone at the name servers is released. One that was never registered has none there.
 * @param also what else is stored of its end
 */
function endRegistration(
  deps: Pick<Deps, 'now'>,
  domain: Domain,
  status: 'FAILED' | 'EXPIRED',
  when: Parameters<typeof remove>[2],
  { zone, also }: { zone?: Zone | undefined; also?: Partial<Domain> } = {},
): Write[] {
  const { accountId, name, id } = domain;
  const removedAttributes = ['task', 'renewal', ...unschedule(Domain)];
  return [
    change(
      Domain,
      domain,
      { set: { ...also, status }, remove: removedAttributes, when: { ...when, status: { is: domain.status } } },
      concurrentUpdate,
    ),
    remove(DomainName, { name }, { domainId: { is: id } }, concurrentUpdate),
    ...endZone(deps, zone, { accountId, domainId: id }),
  ];
}

/** The changed version has a sync that is under way notice the release. */
function endZone(
  deps: Pick<Deps, 'now'>,
  zone: Zone | undefined,
  of: { accountId: string; domainId: string },
): Write[] {
  if (zone?.releasedAt) return [];
  if (!zone?.hostedZoneId) return [remove(Zone, of)];
  const { releasedAt, dueAt } = released(deps.now());
  const set = { releasedAt, ...schedule(Zone, dueAt) };
  return [change(Zone, of, { set, add: { version: 1 } }, concurrentUpdate)];
}

/** Ends a domain as {@link endRegistration} does, in a commit of its own. One that fails so was never paid: the registrar was not asked. */
export async function endDomain(
  deps: Pick<Deps, 'table' | 'now' | 'newId'>,
  domain: Domain,
  status: 'FAILED' | 'EXPIRED',
  when: Parameters<typeof remove>[2],
  also: Partial<Domain> = {},
): Promise<true> {
  // Without a registrant, its account is deleted (domain/processes/account-data/leave.ts).
  const forgotten = domain.owner.name === '' ? forgetLater(deps.now()) : {};
  const zone = await deps.table.get(Zone, { accountId: domain.accountId, domainId: domain.id });
  const writes = endRegistration(deps, domain, status, when, { zone, also: { ...also, ...forgotten } });
  return await commitAsPlatform(deps, writes, true, {
    action: status === 'EXPIRED' ? 'domain.expired' : 'domain.failed',
    accountId: domain.accountId,
    subjectId: domain.id,
    before: { status: domain.status },
    after: { domain: domain.name, status, ...(status === 'FAILED' ? { reason: 'UNPAID' } : {}) },
  });
}

export const DomainInput = z.object({ accountId: z.string(), domainId: z.string() });
