import {
  type listNotifications as ListRoute,
  LOW_BALANCE_CENTS,
  MAX_NOTIFICATIONS,
  type NotificationKind,
  type readNotifications as ReadRoute,
  type setNotificationSettings as SetRoute,
} from '../../contract/accounts/notifications.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { AuditEntry } from '../../table/entities/audit.ts';
import type { WalletTransaction } from '../../table/entities/billing.ts';
import { Notification, NotificationReader, notificationsOf } from '../../table/entities/notifications.ts';
import type { Event } from '../../table/entities/webhooks.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { upsert } from '../../table/writes.ts';
import { formatRand } from '../billing/money.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';

/** Notifications of an account: made from what happens, shown to each member (docs/decisions/0058-members-and-notifications.md). */

export interface Incident {
  accountId: string;
  kind: NotificationKind;
  subjectId: string;
  title: string;
  path: string;
  at: string;
}

/** Stores an incident: one item per incident and day, so that a failure in a loop is one notification. Repeating it changes nothing. */
export async function notify(deps: Pick<Deps, 'table'>, incidents: readonly Incident[]): Promise<void> {
  const writes = incidents.map(async (incident) => {
    const item = { ...incident, day: incident.at.slice(0, 10) };
    const expiresAtEpoch = Notification.expiresAtEpoch?.(item);
    const set = { ...item, expiresAtEpoch };
    await deps.table.write(Notification, upsert(Notification, item, { set }));
  });
  await Promise.all(writes);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Returns the incident that an event of the account is; none for most.
 *
 * @param name name of the application or key that it is about, where it is known
 */
export function incidentOfEvent({ accountId, type, data, created: at }: Event, name?: string): Incident[] {
  const incident = (kind: NotificationKind, subjectId: string, title: string, path: string): Incident[] => [
    { accountId, kind, subjectId, title, path, at },
  ];
  if (type === 'deployment.failed') {
    const [app, deployment] = [text(data.applicationId), text(data.deploymentId)];
    const title = `A deployment of ${name ?? 'an application'} failed.`;
    return incident('deployment-failed', app, title, `/apps/${app}/deployments/${deployment}`);
  }
  if (type === 'payment.failed')
    return incident('payment-failed', 'wallet', `A card payment of R${text(data.amount)} failed.`, '/billing');
  if (type === 'plan.limit_exceeded')
    return incident('plan-limit', 'plan', 'You have more applications than your plan allows.', '/billing/plans');
  if (type === 'ai.budget_near') {
    const key = name === undefined ? 'An API key' : `The API key ${name}`;
    const title = `${key} has spent R${text(data.spent)} of its AI budget of R${text(data.budget)}.`;
    return incident('budget-near', text(data.keyId), title, '/developers');
  }
  return [];
}

const DOMAIN_TITLES: Readonly<Record<string, string>> = {
  'domain.expired': 'expired.',
  'domain.failed': 'could not be registered. What you paid for it is back in your wallet.',
  'domain.renewal-refused': 'could not be renewed.',
};

/** Returns what an entry says of a plan that the balance did not pay: its invoice, its suspension, its end. */
function unpaidTitle({ action, before, after }: AuditEntry, plan = 'A plan'): string | undefined {
  if (action === 'invoice.issued' && after?.kind === 'PLAN' && after.status === 'UNPAID')
    return `Invoice ${text(after.number)} for a plan is unpaid: your balance does not cover it.`;
  if (action === 'subscription.suspended') return `${plan} was suspended: its invoice is unpaid.`;
  // Others are cancelled for other reasons.
  const isForWantOfPayment =
    action === 'subscription.cancelled' && before?.status === 'SUSPENDED' && after?.reason === undefined;
  return isForWantOfPayment ? `${plan} was cancelled: its invoice remained unpaid.` : undefined;
}

/**
 * Returns the incident that an entry of the audit log is; none for most, and for what people do themselves.
 *
 * @param plan name of the plan that it is about, where it is known
 */
export function incidentOfEntry(entry: AuditEntry, plan?: string): Incident[] {
  const { accountId, action, actor, subjectId, after, createdAt: at } = entry;
  if (actor.kind !== 'PLATFORM' || subjectId === null) return [];
  const common = { accountId, subjectId, at };
  if (action === 'webhook.disabled') {
    const title = `The webhook endpoint ${text(after?.url)} was disabled after too many failed deliveries.`;
    return [{ ...common, kind: 'endpoint-disabled', title, path: `/developers/webhooks/${subjectId}` }];
  }
  const unpaid = unpaidTitle(entry, plan);
  if (unpaid) return [{ ...common, kind: 'payment-failed', title: unpaid, path: '/billing' }];
  if (action === 'subscription.cancelled' && after?.reason !== undefined) {
    const title = `${plan ?? 'A hosting plan'} was cancelled. ${text(after.reason)}`;
    return [{ ...common, kind: 'domain-problem', title, path: '/hosting' }];
  }
  const isUnpaid = action === 'domain.failed' && after?.reason === 'UNPAID';
  const ending = isUnpaid ? 'was not registered: its invoice was not paid in time.' : DOMAIN_TITLES[action];
  if (ending === undefined) return [];
  const title = `${text(after?.domain) || 'A domain'} ${ending}`;
  return [{ ...common, kind: 'domain-problem', title, path: `/domains/${subjectId}` }];
}

/** Returns the incident that a transaction is: the one by which the balance falls below the threshold. */
export function incidentOfTransaction(transaction: WalletTransaction): Incident[] {
  const { accountId, amountCents, balanceAfterCents: balance, createdAt: at } = transaction;
  if (balance >= LOW_BALANCE_CENTS || balance - amountCents < LOW_BALANCE_CENTS) return [];
  const title = `Your balance is below R${formatRand(LOW_BALANCE_CENTS)}.`;
  return [{ accountId, kind: 'low-balance', subjectId: 'wallet', title, path: '/billing', at }];
}

/** Notifications that are read for a list at most, where most are of kinds that are switched off. */
const MAX_READ = 2000;

/** Reads the newest notifications of the kinds that a login has not switched off. Its settings are read at the same time. */
async function readNewest(
  { table }: Pick<Deps, 'table'>,
  accountId: string,
  reading: Promise<NotificationReader | undefined>,
): Promise<Notification[]> {
  const newest: Notification[] = [];
  let read = 0;
  for await (const each of table.newest(Notification, notificationsOf(accountId), {
    pageSize: 2 * MAX_NOTIFICATIONS,
  })) {
    const { off = [] } = (await reading) ?? {};
    // A day is read to its end: within it, they are in the order of their kinds and not of their times.
    const isFull = newest.length >= MAX_NOTIFICATIONS && newest.at(-1)?.day !== each.day;
    if (isFull || read === MAX_READ) break;
    read += 1;
    if (!off.includes(each.kind)) newest.push(each);
  }
  return newest.sort((one, other) => other.at.localeCompare(one.at)).slice(0, MAX_NOTIFICATIONS);
}

/** Reads a login's own settings in an account; undefined before it first changes them. */
async function readSettings({ table }: Pick<Deps, 'table'>, { accountId, session }: Caller) {
  if (!session) throw new ApiError('unauthorized');
  return await table.get(NotificationReader, { accountId, subject: session.subject });
}

/** Returns the kinds that are not sent by email. Links of emails append: two clicks on one at the same moment leave it twice. */
const mailedOff = (reader: NotificationReader | undefined) => [...new Set(reader?.offByMail)];

/** Reads what a login is shown: the newest notifications first, without the kinds that it has switched off. */
export async function readInbox(deps: Pick<Deps, 'table'>, caller: Caller) {
  const { accountId } = caller;
  const reading = readSettings(deps, caller);
  const [newest, reader] = await Promise.all([readNewest(deps, accountId, reading), reading]);
  const { off = [], readUntil = '' } = reader ?? {};
  const notifications = newest.map(({ day, kind, subjectId, title, path, at }) => ({
    id: `${day}.${kind}.${subjectId}`,
    kind,
    title,
    path,
    at,
    isRead: at <= readUntil,
  }));
  return { notifications, off, offByMail: mailedOff(reader) };
}

/** GET /dashboard/v1/notifications */
export async function listNotifications(deps: Deps, caller: Caller): Promise<Output<typeof ListRoute>> {
  const mail = deps.settings.mailFrom === undefined ? null : { address: caller.email ?? null };
  return { data: { ...(await readInbox(deps, caller)), mail } };
}

/** Returns the write of a login's own settings in an account. A condition that fails is a `ConcurrentUpdateError`. */
function change({ accountId, session }: Caller, fields: Partial<NotificationReader>, when: Change['when'] = {}) {
  if (!session) throw new ApiError('unauthorized');
  const of = { accountId, subject: session.subject };
  return upsert(NotificationReader, of, { set: { ...of, ...fields }, when }, concurrentUpdate);
}

/** POST /dashboard/v1/notifications/read */
export const readNotifications = (
  deps: Deps,
  caller: Caller,
  { until }: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> => deps.commit([change(caller, { readUntil: until })], { data: { until } });

/** PUT /dashboard/v1/notifications/settings. What is sent by email stays as it is unless it is given. */
export async function setNotificationSettings(
  deps: Deps,
  caller: Caller,
  { off, offByMail: given }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  if (given !== undefined)
    return await deps.commit([change(caller, { off, offByMail: given })], { data: { off, offByMail: given } });
  return await retryRequest(async () => {
    const reader = await readSettings(deps, caller);
    // The link of an email may switch a kind off at the same time.
    const write = change(caller, { off }, { offByMail: unchanged(reader?.offByMail) });
    return await deps.commit([write], { data: { off, offByMail: mailedOff(reader) } });
  });
}
