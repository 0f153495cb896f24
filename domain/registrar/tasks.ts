import * as z from 'zod/mini';
import type { Dns } from '../../providers/dns/dns.ts';
import { type RegisteredDomain, type Registrar, RegistrarRejected } from '../../providers/registrar/registrar.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { released, Zone, zoneSyncDue } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, create, remove, type Write } from '../../table/writes.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { voidInvoice } from '../billing/invoices.ts';
import { withWallet } from '../billing/wallet.ts';
import { concurrentUpdate, ignoreConflict, tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, MINUTE_MS } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { isDelegatedTo } from './domains.ts';
import { addYears, expireLater, scheduleCheck } from './schedule.ts';
import { checkVerification } from './verification.ts';

/**
 * The steps of a registrar task, which the state machine calls (lib/state-machines/registrar.ts). Each step may run twice and may crash
 * anywhere. Money is refunded only if the registrar has certainly not done what it was paid for.
 */

export const DomainInput = z.object({ accountId: z.string(), domainId: z.string() });
export type DomainIds = z.output<typeof DomainInput>;
export type Task = NonNullable<Domain['task']>;

/** Progress of a task: pending at the registrar, done, refused, or already ended. */
export interface Progress {
  state: 'PENDING' | 'DONE' | 'REFUSED' | 'ENDED';
  /** Seconds until the next check. */
  waitSeconds: number;
}
const ENDED: Progress = { state: 'ENDED', waitSeconds: 1 };
const progressOf = (state: Progress['state'], deps: Pick<Deps, 'now'>, { since }: Task): Progress => {
  const seconds = (deps.now().getTime() - Date.parse(since)) / 1000;
  // Most tasks take seconds, some take days: the longer a task has taken, the longer the next wait.
  return { state, waitSeconds: Math.min(900, Math.max(1, Math.round(seconds / 5))) };
};

/** Maximum deviation of the registrar's clock, in milliseconds. */
const CLOCK_SKEW_MS = MINUTE_MS;

async function findDomainAndTask(deps: Pick<Deps, 'table'>, { accountId, domainId }: DomainIds) {
  const domain = await deps.table.get(Domain, { accountId, id: domainId });
  return domain?.task ? { domain, task: domain.task } : undefined;
}
const ifTaskUnchanged = ({ since }: Task) => ({ 'task.since': { is: since } });

/** Submits a task to the registrar. If an earlier request was accepted and its response lost, that request is found and continued. */
export async function submitTask(deps: Deps & { registrar: Registrar }, ids: DomainIds): Promise<Progress> {
  const found = await findDomainAndTask(deps, ids);
  if (!found) return ENDED;
  const { domain, task } = found;
  if (task.operationId) return progressOf('PENDING', deps, task);
  const submitted = await submitOnce(deps.registrar, domain, task);
  if (typeof submitted === 'string') return progressOf(submitted, deps, task);
  const set = { 'task.operationId': submitted.operationId };
  await tryChange(deps, Domain, domain, { set, when: ifTaskUnchanged(task) });
  return progressOf('PENDING', deps, task);
}

type Submitted = 'DONE' | 'REFUSED' | { operationId: string };

async function submitOnce(registrar: Registrar, domain: Domain, task: Task): Promise<Submitted> {
  const since = new Date(Date.parse(task.since) - CLOCK_SKEW_MS);
  const earlier = await registrar.find(task.kind === 'RENEW' ? 'RENEW_DOMAIN' : 'REGISTER_DOMAIN', domain.name, since);
  // A refused operation may belong to an earlier owner. A new request clarifies it.
  if (earlier && earlier.status !== 'REFUSED') return { operationId: earlier.id };
  return task.kind === 'REGISTER' ? await register(registrar, domain, task) : await renew(registrar, domain, task);
}

async function register(registrar: Registrar, domain: Domain, { years }: Task): Promise<Submitted> {
  const { name, owner, privacy } = domain;
  try {
    return { operationId: await registrar.register({ domain: name, years, owner, privacy }) };
  } catch (error) {
    if (!(error instanceof RegistrarRejected)) throw error;
    // The registrar refuses a name that it has registered for us: an earlier request succeeded, and its response was lost.
    return (await registrar.registered(name)) ? 'DONE' : 'REFUSED';
  }
}

async function renew(registrar: Registrar, domain: Domain, { years }: Task): Promise<Submitted> {
  const { name, registryExpiresAt = '' } = domain;
  const readRenewal = async () => {
    const now = await registrar.registered(name);
    return { now, renewed: now !== undefined && now.expiresAt.getTime() > Date.parse(registryExpiresAt) + DAY_MS };
  };
  const { now, renewed } = await readRenewal();
  if (renewed) return 'DONE';
  if (!now) return 'REFUSED';
  try {
    return { operationId: await registrar.renew(name, years, now.expiresAt.getUTCFullYear()) };
  } catch (error) {
    if (!(error instanceof RegistrarRejected)) throw error;
    return (await readRenewal()).renewed ? 'DONE' : 'REFUSED';
  }
}

/** Asks the registrar for the progress of a task. */
export async function checkTask(deps: Deps & { registrar: Registrar }, ids: DomainIds): Promise<Progress> {
  const found = await findDomainAndTask(deps, ids);
  if (!found) return ENDED;
  const { task } = found;
  if (!task.operationId) return progressOf('PENDING', deps, task);
  const { status } = await deps.registrar.operation(task.operationId);
  return progressOf(status, deps, task);
}

type FinishDeps = Deps & { registrar: Registrar; dns: Pick<Dns, 'ensureZone'> };

/** Records the registration or renewal that the registrar has completed. */
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

async function activate(
  deps: FinishDeps,
  domain: Domain,
  { createdAt, expiresAt, nameservers: present }: RegisteredDomain,
): Promise<Write[]> {
  const { accountId, id, name, years, yearsAtOnce } = domain;
  const zone = domain.dnsProvider === 'PLATFORM' ? await deps.dns.ensureZone(name, id, present) : undefined;
  const nameservers = zone?.nameservers ?? domain.nameservers;
  const isDelegated = isDelegatedTo(nameservers, present);
  if (!isDelegated) await deps.registrar.delegate(name, nameservers);
  const registryExpiresAt = expiresAt.toISOString();
  const now = deps.now().toISOString();
  // If the registrar does not answer, the first confirmation asks again.
  const { verification } = await checkVerification(deps, domain, deps.now());
  const set = {
    status: 'ACTIVE' as const,
    registeredAt: createdAt?.toISOString() ?? now,
    registryExpiresAt,
    nameservers,
    confirmedAt: now,
    // The registry decides later: a check soon asks for the result.
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
  // The new version syncs the records that were added while the domain was pending.
  const activated = zone && { set: { hostedZoneId: zone.id, ...zoneSyncDue(deps.now()) }, add: { version: 1 } };
  const zoneIds = { accountId, domainId: id };
  if (activated) return [...writes, change(Zone, zoneIds, activated)];
  // The domain has external name servers. The zone that the registrar created is unused and released immediately.
  const unused = { ...zoneIds, name, version: 0, mirrored: 0, ...released(deps.now()) };
  return [...writes, create(Zone, unused, concurrentUpdate)];
}

function applyRenewal(deps: Deps, domain: Domain, task: Task, { expiresAt }: RegisteredDomain): Write[] {
  const set = {
    confirmedAt: deps.now().toISOString(),
    registryExpiresAt: expiresAt.toISOString(),
    // A term with an invoice extends the paid time. Otherwise the term was part of the original order.
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
 * Ends a task that the registrar refused without doing anything: voids the invoice, so that the payment returns to the wallet.
 * @returns the kind of the refused task; undefined if another run was faster
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
  // A term that was paid with the original order is requested again every day. A refunded term is not bought again automatically.
  const next = scheduleCheck({ ...domain, task: undefined }, new Date(deps.now().getTime() + DAY_MS));
  const set = task.invoiceId ? { autoRenew: false, ...next } : next;
  const removedAttributes = task.invoiceId ? ['task', 'renewal'] : ['task'];
  return [change(Domain, domain, { set, remove: removedAttributes, when: ifTaskUnchanged(task) }, concurrentUpdate)];
}

/**
 * Returns the writes that end a domain, release its name, and release its zone at the name servers. A domain that was never registered has
 * no such zone.
 * @param extra further fields to store
 */
function endRegistration(
  deps: Pick<Deps, 'now'>,
  domain: Domain,
  status: 'FAILED' | 'EXPIRED',
  when: Parameters<typeof remove>[2],
  { zone, extra }: { zone?: Zone | undefined; extra?: Partial<Domain> } = {},
): Write[] {
  const { accountId, name, id } = domain;
  const removedAttributes = ['task', 'renewal', ...unschedule(Domain)];
  return [
    change(
      Domain,
      domain,
      { set: { ...extra, status }, remove: removedAttributes, when: { ...when, status: { is: domain.status } } },
      concurrentUpdate,
    ),
    remove(DomainName, { name }, { domainId: { is: id } }, concurrentUpdate),
    ...endZone(deps, zone, { accountId, domainId: id }),
  ];
}

/** Returns the writes that release or remove a domain's zone. The new version makes a sync in progress notice the release. */
function endZone(
  deps: Pick<Deps, 'now'>,
  zone: Zone | undefined,
  zoneIds: { accountId: string; domainId: string },
): Write[] {
  if (zone?.releasedAt) return [];
  if (!zone?.hostedZoneId) return [remove(Zone, zoneIds)];
  const { releasedAt, dueAt } = released(deps.now());
  const set = { releasedAt, ...schedule(Zone, dueAt) };
  return [change(Zone, zoneIds, { set, add: { version: 1 } }, concurrentUpdate)];
}

/** Ends a domain in a separate commit ({@link endRegistration}). A domain that fails here was never paid, and never requested from the registrar. */
export async function endDomain(
  deps: Pick<Deps, 'table' | 'now' | 'newId'>,
  domain: Domain,
  status: 'FAILED' | 'EXPIRED',
  when: Parameters<typeof remove>[2],
  extra: Partial<Domain> = {},
): Promise<true> {
  // A domain without a registrant belongs to a deleted account (domain/processes/account-data/run-deletion.ts).
  const forgotten = domain.owner.name === '' ? expireLater(deps.now()) : {};
  const zone = await deps.table.get(Zone, { accountId: domain.accountId, domainId: domain.id });
  const writes = endRegistration(deps, domain, status, when, { zone, extra: { ...extra, ...forgotten } });
  return await commitAsPlatform(deps, writes, true, {
    action: status === 'EXPIRED' ? 'domain.expired' : 'domain.failed',
    accountId: domain.accountId,
    subjectId: domain.id,
    before: { status: domain.status },
    after: { domain: domain.name, status, ...(status === 'FAILED' ? { reason: 'UNPAID' } : {}) },
  });
}
