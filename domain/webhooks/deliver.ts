import * as z from 'zod/mini';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import {
  type DeliveryMessage,
  type DeliveryQueue,
  MAX_DELAY_SECONDS,
} from '../../providers/webhooks/delivery-queue.ts';
import type { Outcome } from '../../providers/webhooks/send-errors.ts';
import type { WebhookSender } from '../../providers/webhooks/sender.ts';
import { Delivery, Event, queuedAt, Webhook, waitingUntil } from '../../table/entities/webhooks.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, check, replace, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { HOUR_MS, timestampAfter } from '../time.ts';
import { type Attempt, attemptCount, buildAttemptRecord } from './attempts.ts';
import { countFailure, countSuccess } from './failure-count.ts';
import { buildDelivery, newDelivery, settleDelivered, toMessage } from './fan-out.ts';
import { signBody } from './secrets.ts';
import { isSlow } from './slow-lane.ts';

/** Interval at which a held delivery is checked again, in case the end of the suspension did not release it, in milliseconds. */
const HOLD_RECHECK_MS = HOUR_MS;
/** Delay of an attempt that falls due while deliveries are switched off, in seconds. */
const POSTPONE_DELAY_S = 30;
/** The failure count that was read before an attempt of at most this duration is recent enough to decide on, in milliseconds. */
const QUICK_ATTEMPT_MS = 250;

export type DeliverDeps = Pick<Deps, 'table' | 'now' | 'newId' | 'settings'> & {
  secrets: Secrets;
  queue: DeliveryQueue;
  sender: WebhookSender;
};

/** Result of processing one delivery message, for logs and metrics. */
export interface AttemptResult {
  /** `STALE`: another message has already made the attempt. `FORWARDED`: the message was moved to the slow lane. */
  outcome: Outcome | 'SKIPPED' | 'HELD' | 'STALE' | 'FORWARDED';
  durationMs: number;
  /** The delivery's new status; undefined if nothing was written. */
  status?: Delivery['status'];
  /** Time from the delivery's creation to its first attempt, in milliseconds. */
  lagMs?: number;
  /** True when this attempt disabled the endpoint. */
  disabled: boolean;
  /** Error of queueing the next attempt. The attempt is stored, and the reconciler queues it a little late. */
  enqueueError?: string;
  /** Error of settling the event. The reconciler settles it later. */
  settleError?: string;
}

/** Another message has already recorded this step. Unlike a conflict, this is final and not retried. */
class AlreadyRecorded extends Error {}
const alreadyRecorded = () => new AlreadyRecorded('the step of the delivery was recorded before');

const STALE: AttemptResult = { outcome: 'STALE', durationMs: 0, disabled: false };
const FORWARDED: AttemptResult = { outcome: 'FORWARDED', durationMs: 0, disabled: false };

interface DueAttempt {
  delivery: Delivery | undefined;
  webhook: Webhook | undefined;
}

/** Reads the delivery and the endpoint of a message; no delivery if the message is stale. */
async function findDue(deps: DeliverDeps, message: DeliveryMessage): Promise<DueAttempt> {
  const { accountId, deliveryId, webhookId, step } = message;
  const [stored, webhook] = await Promise.all([
    deps.table.get(Delivery, { accountId, id: deliveryId }),
    deps.table.get(Webhook, { accountId, id: webhookId }),
  ]);
  const delivery = stored ?? (webhook && step === 0 ? await materializeDelivery(deps, message, webhook) : undefined);
  return { delivery: delivery?.status === 'PENDING' && delivery.step === step ? delivery : undefined, webhook };
}

/**
 * Makes the attempt that a message requests, unless it has already been made. Resolves once the result and the time of the next
 * attempt are stored: only then may the message be acknowledged. Rejects if they could not be stored.
 */
export async function deliver(deps: DeliverDeps, message: DeliveryMessage): Promise<AttemptResult> {
  const { delivery, webhook } = await findDue(deps, message);
  if (!delivery) return STALE;
  if (webhook?.active && !message.slow && isSlow(webhook, deps.now())) {
    await deps.queue.send([{ message: { ...message, slow: true }, delay: 0 }]);
    return FORWARDED;
  }
  try {
    return await settleAfterAttempt(deps, message, await attemptOrHold(deps, delivery, webhook));
  } catch (error) {
    if (error instanceof AlreadyRecorded) return STALE;
    throw error;
  }
}

/**
 * Postpones the attempt that a message requests, because deliveries are switched off. The delivery keeps its remaining attempts.
 */
export async function postpone(deps: DeliverDeps, message: DeliveryMessage): Promise<AttemptResult> {
  const { delivery } = await findDue(deps, message);
  if (!delivery) return STALE;
  const nextAttemptAt = timestampAfter(deps.now(), POSTPONE_DELAY_S * 1000);
  try {
    await deps.table.write(Delivery, changeDelivery(delivery, { nextAttemptAt }, queuedAt(delivery.id, nextAttemptAt)));
  } catch (error) {
    if (error instanceof AlreadyRecorded) return STALE;
    throw error;
  }
  const enqueueError = await queueNext(deps, delivery, POSTPONE_DELAY_S);
  const held = { outcome: 'HELD', status: 'PENDING', durationMs: 0, disabled: false } as const;
  return await settleAfterAttempt(deps, message, enqueueError === undefined ? held : { ...held, enqueueError });
}

/**
 * Settles the event of a first attempt, whose delivery is stored by now. A failure does not undo the attempt: the reconciler
 * settles the event later.
 */
async function settleAfterAttempt(
  deps: DeliverDeps,
  message: DeliveryMessage,
  result: AttemptResult,
): Promise<AttemptResult> {
  // A skipped delivery costs one write. With several of them, each would read all the others to find out whether it is the last.
  if (result.outcome === 'SKIPPED' && message.settles?.others.length) return result;
  try {
    await settleDelivered(deps, message);
    return result;
  } catch (error) {
    return { ...result, settleError: String(error) };
  }
}

/**
 * Sends, holds or skips a delivery, as the endpoint's state requires. If a suspension ends while this call holds the delivery, the
 * call reads the endpoint again instead of failing: the queue would redeliver the message only after its visibility timeout.
 */
async function attemptOrHold(deps: DeliverDeps, delivery: Delivery, read: Webhook | undefined): Promise<AttemptResult> {
  const { accountId, webhookId: id } = delivery;
  for (let webhook = read; webhook?.active; webhook = await deps.table.get(Webhook, { accountId, id })) {
    if (!webhook.heldSince) return await recordAttempt(deps, delivery, await send(deps, delivery, webhook), webhook);
    const held = await ignoreConflict(hold(deps, delivery));
    if (held) return held;
  }
  return await skip(deps, delivery);
}

/** Returns the delivery of a first attempt. It is stored together with the attempt. Reads the event if the message does not carry its content. */
async function materializeDelivery(
  deps: DeliverDeps,
  message: DeliveryMessage,
  webhook: Webhook,
): Promise<Delivery | undefined> {
  if (message.content) return buildDelivery(message, message.content, deps.now());
  const { accountId, eventId } = message;
  const event = await deps.table.get(Event, { accountId, id: eventId });
  return event && newDelivery(event, webhook, deps.now());
}

/** Returns the write that moves a delivery to its next step. It fails with {@link AlreadyRecorded} if the step was recorded before. */
function changeDelivery(delivery: Delivery, set: Partial<Delivery>, due?: ReturnType<typeof queuedAt>): Write {
  const { accountId, id } = delivery;
  const step = delivery.step + 1;
  // The first step stores the delivery, or replaces it if the reconciler has stored it because the message was late.
  if (step === 1) {
    return replace(Delivery, { ...delivery, ...set, ...due, step }, { step: { absentOrBelow: 1 } }, alreadyRecorded);
  }
  const remove = ['resendAt', ...(set.held ? [] : ['held']), ...(due ? [] : unschedule(Delivery))];
  const update = { set: { ...set, ...due, step }, remove, when: { step: { is: delivery.step } } };
  return change(Delivery, { accountId, id }, update, alreadyRecorded);
}

/** Records a delivery to a disabled or deleted endpoint as skipped. It stays visible and can be resent. */
async function skip(deps: DeliverDeps, delivery: Delivery): Promise<AttemptResult> {
  await deps.table.write(Delivery, changeDelivery(delivery, { status: 'SKIPPED', nextAttemptAt: null }));
  return { outcome: 'SKIPPED', status: 'SKIPPED', durationMs: 0, disabled: false };
}

/** Holds a delivery to a suspended endpoint, or to an endpoint of a suspended account. It keeps its remaining attempts. */
async function hold(deps: DeliverDeps, delivery: Delivery): Promise<AttemptResult> {
  const nextAttemptAt = timestampAfter(deps.now(), HOLD_RECHECK_MS);
  const set = { nextAttemptAt, held: true as const };
  const write = changeDelivery(delivery, set, waitingUntil(delivery.id, nextAttemptAt));
  const endpoint = { accountId: delivery.accountId, id: delivery.webhookId };
  // A conflict means that the suspension has ended.
  await deps.table.transact([write, check(Webhook, endpoint, { heldSince: 'present' }, concurrentUpdate)]);
  return { outcome: 'HELD', status: 'PENDING', durationMs: 0, disabled: false };
}

async function send(deps: DeliverDeps, { type, body, eventId }: Delivery, webhook: Webhook): Promise<Attempt> {
  const id = deps.newId('att');
  const at = deps.now().toISOString();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'x-service-event': type,
    'x-service-delivery': id,
    ...(await signBody(deps, webhook, eventId, body)),
  };
  const sent = await deps.sender.send(webhook.url, headers, body);
  const { outcome, status: responseStatus, body: responseBody, headers: responseHeaders, timing, durationMs } = sent;
  return { id, at, outcome, responseStatus, responseBody, responseHeaders, timing, durationMs };
}

/** Returns the delivery's next state after an attempt: its writes, and the seconds until the next attempt if there is one. */
function nextState(deps: DeliverDeps, delivery: Delivery, attempt: Attempt): Pick<AttemptResult, 'status'> & Next {
  const isDelivered = attempt.outcome === 'DELIVERED';
  const delay = isDelivered ? undefined : deps.settings.webhookRetrySchedule[delivery.tries];
  const { set, store } = buildAttemptRecord(delivery, attempt, delay === undefined, alreadyRecorded);
  const optionalStore = store ? { store } : {};
  if (isDelivered) {
    const write = changeDelivery(delivery, { ...set, status: 'DELIVERED', nextAttemptAt: null });
    return { status: 'DELIVERED', write, ...optionalStore };
  }
  const tries = delivery.tries + 1;
  if (delay === undefined) {
    const write = changeDelivery(delivery, { ...set, tries, status: 'FAILED', nextAttemptAt: null });
    return { status: 'FAILED', write, ...optionalStore };
  }
  const nextAttemptAt = timestampAfter(deps.now(), delay * 1000);
  const due =
    delay <= MAX_DELAY_SECONDS ? queuedAt(delivery.id, nextAttemptAt) : waitingUntil(delivery.id, nextAttemptAt);
  const write = changeDelivery(delivery, { ...set, tries, nextAttemptAt }, due);
  return { status: 'PENDING', write, delay, ...optionalStore };
}

interface Next {
  /** Stores the attempt. Must run before `write`. */
  store?: Write;
  write: Write;
  delay?: number;
}

async function recordAttempt(
  deps: DeliverDeps,
  delivery: Delivery,
  attempt: Attempt,
  before: Webhook,
): Promise<AttemptResult> {
  const { accountId, webhookId } = delivery;
  const { status, store, write, delay } = nextState(deps, delivery, attempt);
  if (store) await deps.table.updateReturningChanged(store);
  const endpoint = { accountId, id: webhookId };
  // After a slow attempt the endpoint must be read again, because other attempts may have ended in the meantime.
  const known = attempt.durationMs > QUICK_ATTEMPT_MS ? undefined : before;
  const completed = { write, known, durationMs: attempt.durationMs };
  let disabled = false;
  if (attempt.outcome === 'DELIVERED') await countSuccess(deps, endpoint, completed);
  else disabled = await countFailure(deps, endpoint, completed);
  const enqueueError =
    delay === undefined || delay > MAX_DELAY_SECONDS ? undefined : await queueNext(deps, delivery, delay);
  return {
    outcome: attempt.outcome,
    durationMs: attempt.durationMs,
    disabled,
    ...(status ? { status } : {}),
    ...(enqueueError === undefined ? {} : { enqueueError }),
    ...(attemptCount(delivery) === 0 ? { lagMs: Date.parse(attempt.at) - Date.parse(delivery.createdAt) } : {}),
  };
}

/** Queues the next attempt, which is already stored. @returns the error if it could not be queued; the reconciler then queues it */
async function queueNext(deps: DeliverDeps, delivery: Delivery, delay: number): Promise<string | undefined> {
  const message = toMessage({ ...delivery, step: delivery.step + 1 });
  try {
    await deps.queue.send([{ message, delay }]);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** The message that requests an attempt at a delivery. */
export const DeliveryInput = z.object({
  accountId: z.string(),
  webhookId: z.string(),
  eventId: z.string(),
  deliveryId: z.string(),
  step: z.int(),
  content: z.optional(z.object({ type: z.string(), createdAt: z.string(), body: z.string() })),
  settles: z.optional(z.object({ others: z.array(z.string()), inFeed: z.boolean() })),
  slow: z.optional(z.literal(true)),
});
