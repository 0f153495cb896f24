import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type {
  listDeliveries as DeliveriesRoute,
  enableWebhook as EnableRoute,
  listEndpoints as ListRoute,
  pingWebhook as PingRoute,
  resendDelivery as ResendRoute,
  resendSkipped as ResendSkippedRoute,
  rotateSecret as RotateRoute,
  updateWebhook as UpdateRoute,
} from '../../contract/webhooks/management.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { Delivery, deliveriesOf, deliveryOrder, queuedAt, Webhook } from '../../table/entities/webhooks.ts';
import { allUnchanged } from '../../table/expressions.ts';
import { joinKey } from '../../table/keys.ts';
import { change, changeOrInspect, checkOrInspect, type Write } from '../../table/writes.ts';
import { inChunks } from '../chunks.ts';
import { changedConcurrently, concurrentUpdate, ignoreConflict, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, findAccount } from '../limits/limits.ts';
import { noSuchCursor, pageBody } from '../pages.ts';
import { timestampAfter } from '../time.ts';
import { viewDeliveries } from './delivery-view.ts';
import { assertReceiverUrl, findWebhook, listWebhooksPage, noSuchWebhook, viewWebhook } from './endpoints.ts';
import { newEvent } from './events.ts';
import { findDeliveries } from './search.ts';
import { newSecret, ROTATION_OVERLAP_MS } from './secrets.ts';

/** Operations on an endpoint in the dashboard (specification, Events; design, Dashboard API). */

const endpointDisabled = () => new ApiError('conflict', 'This webhook endpoint is disabled. Enable it first.');
/** The write that lets a transaction happen only while an endpoint receives. */
const checkActive = (accountId: string, id: string): Write =>
  checkOrInspect(Webhook, { accountId, id }, { when: { active: { is: true } } }, (found) =>
    found ? endpointDisabled() : noSuchWebhook(),
  );
export const noSuchDelivery = () => new ApiError('not_found', 'Delivery not found.');

/** Deliveries that one call resends at most: each is a write. */
const MAX_RESENT = 500;
/** Deliveries that it looks at in one call. */
const MAX_READ = 10_000;
/** Deliveries written at once. */
const CONCURRENCY = 20;

const viewEndpoint = (webhook: Webhook): Output<typeof EnableRoute>['data'] => ({
  ...viewWebhook(webhook),
  failureCount: webhook.failureCount,
});

/** GET /dashboard/v1/webhooks */
export const listEndpoints = (
  deps: Deps,
  caller: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> => listWebhooksPage(deps, caller, page, viewEndpoint);

/**
 * Changes an endpoint as its owner's request says, and answers with it. Where another request changes it meanwhile, the change is decided
 * again: the answer and the audit log show what is stored. The count of failures is left out of that, as deliveries change it all the time.
 */
async function changeSettings(
  deps: Deps,
  caller: Caller,
  id: string,
  settle: (webhook: Webhook) => Partial<Webhook>,
): Promise<Output<typeof UpdateRoute>> {
  return await retryRequest(async () => {
    const webhook = await findWebhook(deps, caller, id);
    const set = settle(webhook);
    const [before, data] = [viewEndpoint(webhook), viewEndpoint({ ...webhook, ...set })];
    if (Object.keys(set).length === 0) return { data };
    const when = allUnchanged(webhook, ['url', 'events', 'description', 'active']);
    const write = changeOrInspect(Webhook, { accountId: caller.accountId, id }, { set, when }, (found) =>
      found ? concurrentUpdate() : noSuchWebhook(),
    );
    return await deps.commit([write], { data }, { before, after: data });
  });
}

/** Changes an endpoint, or disables it: deliveries under way are not sent any more, later events are skipped. */
export async function updateWebhook(
  deps: Deps,
  caller: Caller,
  { id, url, events, description, active }: Input<typeof UpdateRoute>,
): Promise<Output<typeof UpdateRoute>> {
  if (url !== undefined) assertReceiverUrl(url, deps.settings.allowLocalWebhooks);
  return await changeSettings(deps, caller, id, (webhook) => {
    const set = {
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events }),
      ...(description === undefined ? {} : { description }),
      ...(active === false && webhook.active ? { active, disabledAt: deps.now().toISOString() } : {}),
    };
    return isDeepStrictEqual({ ...webhook, ...set }, webhook) ? {} : set;
  });
}

/** Makes an endpoint receive again, with its count of failures at 0. One that is active stays so. */
export const enableWebhook = (
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof EnableRoute>,
): Promise<Output<typeof EnableRoute>> =>
  changeSettings(deps, caller, id, () => ({ active: true, failureCount: 0, disabledAt: null }));

/** Sends a `ping` event to this endpoint, whatever it subscribes to. Throws 409 if it is disabled. */
export async function pingWebhook(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof PingRoute>,
): Promise<Output<typeof PingRoute>> {
  const { accountId } = caller;
  const webhook = await findWebhook(deps, caller, id);
  if (!webhook.active) throw endpointDisabled();
  const event = newEvent(deps, accountId, 'ping', { webhookId: id }, id);
  return await deps.commit([checkActive(accountId, id), event.write], { data: { eventId: event.id } });
}

/** A new secret. The one before signs too for 24 hours more; one before that is out at once. */
export async function rotateSecret(
  deps: Deps & { secrets: Secrets },
  caller: Caller,
  { id }: Input<typeof RotateRoute>,
): Promise<Output<typeof RotateRoute>> {
  const { accountId } = caller;
  const webhook = await findWebhook(deps, caller, id);
  const { secret, sealed } = await newSecret(deps, id);
  const previousExpiresAt = timestampAfter(deps.now(), ROTATION_OVERLAP_MS);
  const set = { secret: sealed, previous: { secret: webhook.secret, expiresAt: previousExpiresAt } };
  const when = { 'secret.ciphertext': { is: webhook.secret.ciphertext } };
  const write = changeOrInspect(Webhook, { accountId, id }, { set, when }, (found) =>
    found ? changedConcurrently() : noSuchWebhook(),
  );
  return await deps.commit([write], { data: { secret, previousExpiresAt } });
}

/** An endpoint's recent deliveries, newest first, with what the receiver said to each attempt. */
export async function listDeliveries(
  deps: Deps,
  caller: Caller,
  { id, limit, offset, cursor, ...filter }: Input<typeof DeliveriesRoute>,
): Promise<Output<typeof DeliveriesRoute>> {
  const { accountId } = caller;
  if (filter.from !== undefined && filter.to !== undefined && filter.to <= filter.from)
    throw new ApiError('invalid_request', 'to: must be later than `from`');
  const last = cursor === undefined ? undefined : await deps.table.get(Delivery, { accountId, id: cursor });
  if (cursor !== undefined && !last) throw noSuchCursor();
  const [, { items, ...page }] = await Promise.all([
    findWebhook(deps, caller, id),
    findDeliveries(deps, id, filter, { limit, offset, cursor: last && deliveryOrder(last) }),
  ]);
  const shown = await viewDeliveries(deps, items);
  return pageBody({ items: shown, ...page }, (delivery) => delivery);
}

/**
 * A fresh schedule for a delivery, beginning now. Messages still under way for it become stale. The stream queues it
 * (`resendAt`), as it does everything that follows from a request.
 */
function newSchedule(
  deps: Deps,
  delivery: Delivery,
  onConditionFailed: () => Error = changedConcurrently,
): { write: Write; resent: Delivery } {
  const { accountId, id, step } = delivery;
  const now = deps.now().toISOString();
  const set = { status: 'PENDING' as const, nextAttemptAt: now, resendAt: now, tries: 0, step: step + 1 };
  // Its attempts may take most of a day: it is kept as long as one that is made now.
  const expiresAtEpoch = Delivery.expiresAtEpoch?.({ ...delivery, createdAt: now });
  const what = { set: { ...set, ...queuedAt(id, now), expiresAtEpoch }, when: { step: { is: step } } };
  return { write: change(Delivery, { accountId, id }, what, onConditionFailed), resent: { ...delivery, ...set } };
}

/** Resends a delivery: the same event id, with six new attempts. Throws 409 if its endpoint is disabled. */
export async function resendDelivery(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof ResendRoute>,
): Promise<Output<typeof ResendRoute>> {
  const { accountId } = caller;
  const delivery = await deps.table.get(Delivery, { accountId, id });
  if (!delivery) throw noSuchDelivery();
  const { webhookId } = delivery;
  const [webhook, account] = await Promise.all([findWebhook(deps, caller, webhookId), findAccount(deps, accountId)]);
  if (!webhook.active) throw endpointDisabled();
  const { write, resent } = newSchedule(deps, delivery);
  const count = countToday(deps, account, 'webhookResendsPerDay');
  const [before] = await viewDeliveries(deps, [delivery]);
  if (!before) throw noSuchDelivery();
  const { status, nextAttemptAt } = resent;
  const data = { ...before, status, nextAttemptAt };
  return await deps.commit([checkActive(accountId, webhookId), count, write], { data }, { before, after: data });
}

/**
 * Sends again what was skipped, failed or was delivered since a time, oldest first, at most 500 at a call: `next` says where to continue.
 * Throws 409 if the endpoint is disabled.
 */
export async function resendSkipped(
  deps: Deps,
  caller: Caller,
  { id, since, statuses }: Input<typeof ResendSkippedRoute>,
): Promise<Output<typeof ResendSkippedRoute>> {
  const [webhook, account] = await Promise.all([findWebhook(deps, caller, id), findAccount(deps, caller.accountId)]);
  if (!webhook.active) throw endpointDisabled();
  const skipped: Delivery[] = [];
  let read = 0;
  let last: Delivery | undefined;
  for await (const delivery of deps.table.each(Delivery, deliveriesOf(id), joinKey(since))) {
    read += 1;
    last = delivery;
    if (statuses.some((each) => each === delivery.status)) skipped.push(delivery);
    if (skipped.length > MAX_RESENT || read === MAX_READ) break;
  }
  const chosen = skipped.slice(0, MAX_RESENT);
  // Where there was too much to read, from what was read last.
  const next = skipped.at(MAX_RESENT) ?? (read === MAX_READ ? last : undefined);
  // Counted before anything is sent: what fails afterwards is skipped still, and a repeat resends it.
  if (chosen.length > 0) await deps.table.transact([countToday(deps, account, 'webhookResendsPerDay', chosen.length)]);
  // On a conflict another request resent it. A transaction of one write: repeated after a lost answer, it is no conflict with itself.
  const written = await inChunks(chosen, CONCURRENCY, (delivery) =>
    ignoreConflict(deps.table.transact([newSchedule(deps, delivery, concurrentUpdate).write]).then(() => true)),
  );
  const resent = written.filter((each) => each === true).length;
  const data = { resent, remaining: next !== undefined, next: next?.createdAt ?? null };
  // Each delivery is a write of its own, before this one: a call that dies in between leaves no entry, and its repeat does.
  return await deps.commit([], { data }, { after: { since, ...data } });
}
