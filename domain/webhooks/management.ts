import { isDeepStrictEqual } from 'node:util';
import { ApiError, invalidField } from '../../contract/errors.ts';
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
import { changedConcurrently, concurrentUpdate, retryRequest, tryTransact } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, findAccount } from '../limits/limits.ts';
import { noSuchCursor, pageBody } from '../pages.ts';
import { timestampAfter } from '../time.ts';
import { viewDeliveries } from './delivery-view.ts';
import { assertReceiverUrl, findWebhook, listWebhooksPage, noSuchWebhook, viewWebhook } from './endpoints.ts';
import { newEvent } from './events.ts';
import { findDeliveries } from './search.ts';
import { newSecret, ROTATION_OVERLAP_MS } from './secrets.ts';

/** Operations on an endpoint in the dashboard (specification, Events). */

const endpointDisabled = () => new ApiError('conflict', 'This webhook endpoint is disabled. Enable it first.');
/** Returns the write that makes a transaction fail unless the endpoint is active. */
const checkActive = (accountId: string, id: string): Write =>
  checkOrInspect(Webhook, { accountId, id }, { when: { active: { is: true } } }, (found) =>
    found ? endpointDisabled() : noSuchWebhook(),
  );
const noSuchDelivery = () => new ApiError('not_found', 'Delivery not found.');

/** Maximum number of deliveries that one call resends: each is one write. */
const MAX_RESENT = 500;
/** Maximum number of deliveries that one call reads. */
const MAX_READ = 10_000;
/** Number of deliveries that are written concurrently. */
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
 * Changes an endpoint and returns it. If another request changes it concurrently, the change is computed again, so that the response and
 * the audit log show what is stored. The failure count is not part of that check, because deliveries change it all the time.
 */
async function changeSettings(
  deps: Deps,
  caller: Caller,
  id: string,
  computeChange: (webhook: Webhook) => Partial<Webhook>,
): Promise<Output<typeof UpdateRoute>> {
  return await retryRequest(async () => {
    const webhook = await findWebhook(deps, caller, id);
    const set = computeChange(webhook);
    const [before, data] = [viewEndpoint(webhook), viewEndpoint({ ...webhook, ...set })];
    if (Object.keys(set).length === 0) return { data };
    const when = allUnchanged(webhook, ['url', 'events', 'description', 'active']);
    const write = changeOrInspect(Webhook, { accountId: caller.accountId, id }, { set, when }, (found) =>
      found ? concurrentUpdate() : noSuchWebhook(),
    );
    return await deps.commit([write], { data }, { before, after: data });
  });
}

/** Changes an endpoint, or disables it: pending deliveries are no longer sent, and later events are skipped. */
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

/** Enables an endpoint and resets its failure count. An active endpoint stays active. */
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

/** Creates a new secret. The previous secret signs as well for another 24 hours; an even older one is dropped immediately. */
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

/** Returns an endpoint's recent deliveries, newest first, with the receiver's response to each attempt. */
export async function listDeliveries(
  deps: Deps,
  caller: Caller,
  { id, limit, offset, cursor, ...filter }: Input<typeof DeliveriesRoute>,
): Promise<Output<typeof DeliveriesRoute>> {
  const { accountId } = caller;
  if (filter.from !== undefined && filter.to !== undefined && filter.to <= filter.from)
    throw invalidField('to', 'must be later than `from`');
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
 * Returns the write that restarts a delivery's schedule now. Messages that are still queued for it become stale. The stream queues
 * the delivery (`resendAt`), as every side effect of a request.
 */
function restartSchedule(
  deps: Deps,
  delivery: Delivery,
  onConditionFailed: () => Error = changedConcurrently,
): { write: Write; resent: Delivery } {
  const { accountId, id, step } = delivery;
  const now = deps.now().toISOString();
  const set = { status: 'PENDING' as const, nextAttemptAt: now, resendAt: now, tries: 0, step: step + 1 };
  // The attempts may take most of a day: the delivery is kept as long as a new one.
  const expiresAtEpoch = Delivery.expiresAtEpoch?.({ ...delivery, createdAt: now });
  const update = { set: { ...set, ...queuedAt(id, now), expiresAtEpoch }, when: { step: { is: step } } };
  return { write: change(Delivery, { accountId, id }, update, onConditionFailed), resent: { ...delivery, ...set } };
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
  const { write, resent } = restartSchedule(deps, delivery);
  const count = countToday(deps, account, 'webhookResendsPerDay');
  const [before] = await viewDeliveries(deps, [delivery]);
  if (!before) throw noSuchDelivery();
  const { status, nextAttemptAt } = resent;
  const data = { ...before, status, nextAttemptAt };
  return await deps.commit([checkActive(accountId, webhookId), count, write], { data }, { before, after: data });
}

/**
 * Returns the deliveries of the given statuses since a time, oldest first, that one call resends, and the time from which the next call
 * continues. A call resends all deliveries of that time or none, so that the next call, which begins with them, resends none again.
 */
async function chooseDeliveries(
  deps: Pick<Deps, 'table'>,
  { id, since, statuses }: Input<typeof ResendSkippedRoute>,
): Promise<{ chosen: Delivery[]; next: string | undefined }> {
  const found: Delivery[] = [];
  let read = 0;
  let next: string | undefined;
  for await (const delivery of deps.table.each(Delivery, deliveriesOf(id), joinKey(since))) {
    const isWanted = statuses.some((status) => status === delivery.status);
    if (read === MAX_READ || (isWanted && found.length === MAX_RESENT)) {
      next = delivery.createdAt;
      break;
    }
    read += 1;
    if (isWanted) found.push(delivery);
  }
  // If all of them had this time, no call would ever come further. Events of one endpoint seldom share a millisecond, let alone 500.
  const isFurther = next !== undefined && next > since;
  return { chosen: isFurther ? found.filter(({ createdAt }) => createdAt !== next) : found, next };
}

/**
 * Resends the deliveries of the given statuses (skipped, failed or delivered) since a time, oldest first: at most 500 in one call. `next` is
 * the time to continue from. Throws 409 if the endpoint is disabled.
 */
export async function resendSkipped(
  deps: Deps,
  caller: Caller,
  input: Input<typeof ResendSkippedRoute>,
): Promise<Output<typeof ResendSkippedRoute>> {
  const { id, since } = input;
  const [webhook, account] = await Promise.all([findWebhook(deps, caller, id), findAccount(deps, caller.accountId)]);
  if (!webhook.active) throw endpointDisabled();
  const { chosen, next } = await chooseDeliveries(deps, input);
  // The limit is counted first. A delivery whose write then fails keeps its status, and a repeated call resends it.
  if (chosen.length > 0) await deps.table.transact([countToday(deps, account, 'webhookResendsPerDay', chosen.length)]);
  // A conflict means that another request resent the delivery. The write is a transaction, because a transaction that is retried after
  // a lost response does not conflict with itself.
  const written = await inChunks(chosen, CONCURRENCY, (delivery) =>
    tryTransact(deps, [restartSchedule(deps, delivery, concurrentUpdate).write]),
  );
  const resent = written.filter(Boolean).length;
  const data = { resent, remaining: next !== undefined, next: next ?? null };
  // The deliveries were written before, one by one: a call that dies in between leaves no audit entry, but its repetition does.
  return await deps.commit([], { data }, { after: { since, ...data } });
}
