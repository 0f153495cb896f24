import type { Secrets } from '../../providers/encryption/secrets.ts';
import { DELAY_MOST, type DeliveryMessage, type DeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import type { Outcome } from '../../providers/webhooks/send-errors.ts';
import type { WebhookSender } from '../../providers/webhooks/sender.ts';
import { Delivery, queuedFor, Webhook, waitingFor } from '../../table/entities/webhooks.ts';
import { Event } from '../../table/event-entities.ts';
import { change, replace, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { messageOf, newDelivery } from '../fan-out.ts';
import { Overtaken, overtaken } from '../overtaken.ts';
import { recordFailure, recordSuccess } from './failure-count.ts';
import { signatureOf } from './secrets.ts';

/** Attempts kept on a delivery: those of its schedule and of a resend. */
const ATTEMPTS_KEPT = 12;
/** An attempt that took less than this had no time for the endpoint's count to move much, in milliseconds. */
const QUICK = 250;

export type DeliverDeps = Pick<Deps, 'table' | 'now' | 'newId' | 'settings'> & {
  secrets: Secrets;
  queue: DeliveryQueue;
  sender: WebhookSender;
};

/** What came of a message, for logs and metrics. */
export interface Attempted {
  /** `STALE`: another message had taken care of it. */
  outcome: Outcome | 'SKIPPED' | 'STALE';
  durationMs: number;
  /** The delivery's status now; undefined where nothing was written. */
  status?: Delivery['status'];
  /** From the delivery's making to its first attempt, in milliseconds. */
  lagMs?: number;
  /** Whether this attempt was the one too many. */
  disabled: boolean;
  /** Why the next attempt could not be queued: it is written down, and the reconciler queues it, a little late. */
  unqueued?: string;
}

type Attempt = Delivery['attempts'][number];

const STALE: Attempted = { outcome: 'STALE', durationMs: 0, disabled: false };

/**
 * Makes the attempt that a message asks for, unless it has been made. Resolves once the result and the time of the next
 * attempt are written: only then may the message be acknowledged. Rejects if they could not be.
 */
export async function deliver(deps: DeliverDeps, message: DeliveryMessage): Promise<Attempted> {
  const { accountId, deliveryId, webhookId, serial } = message;
  const [stored, webhook] = await Promise.all([
    deps.table.get(Delivery, { accountId, id: deliveryId }),
    deps.table.get(Webhook, { accountId, id: webhookId }),
  ]);
  const delivery = stored ?? (webhook && serial === 0 ? await firstOf(deps, message, webhook) : undefined);
  if (delivery?.status !== 'PENDING' || delivery.serial !== serial) return STALE;
  try {
    if (!webhook?.active) return await skip(deps, delivery);
    const attempt = await send(deps, delivery, webhook);
    return await record(deps, delivery, attempt, webhook);
  } catch (error) {
    if (error instanceof Overtaken) return STALE;
    throw error;
  }
}

/** A delivery comes to be with its first attempt: until then there is but the event. */
async function firstOf(
  deps: DeliverDeps,
  { accountId, eventId }: DeliveryMessage,
  webhook: Webhook,
): Promise<Delivery | undefined> {
  const event = await deps.table.get(Event, { accountId, id: eventId });
  return event && newDelivery(event, webhook, deps.now());
}

/** The write that takes a delivery from the state it was read in to the next, or throws {@link Overtaken}. */
function step(delivery: Delivery, set: Partial<Delivery>, due?: ReturnType<typeof queuedFor>): Write {
  const { accountId, id } = delivery;
  const serial = delivery.serial + 1;
  // The first one stores it, whether or not the reconciler did so meanwhile because it came late.
  if (serial === 1) {
    return replace(Delivery, { ...delivery, ...set, ...due, serial }, { serial: { absentOrBelow: 1 } }, overtaken);
  }
  const remove = due ? ['resendAt'] : ['resendAt', 'duePk', 'dueAt'];
  const what = { set: { ...set, ...due, serial }, remove, when: { serial: { is: delivery.serial } } };
  return change(Delivery, { accountId, id }, what, overtaken);
}

/** To an endpoint that is disabled or gone nothing is sent; what was meant for it stays to be seen, and to be resent. */
async function skip(deps: DeliverDeps, delivery: Delivery): Promise<Attempted> {
  await deps.table.write(Delivery, step(delivery, { status: 'SKIPPED', nextAttemptAt: null }));
  return { outcome: 'SKIPPED', status: 'SKIPPED', durationMs: 0, disabled: false };
}

async function send(deps: DeliverDeps, { type, body }: Delivery, webhook: Webhook): Promise<Attempt> {
  const id = deps.newId('att');
  const at = deps.now().toISOString();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'x-service-event': type,
    'x-service-delivery': id,
    'x-service-signature': await signatureOf(deps, webhook, body),
  };
  const sent = await deps.sender.send(webhook.url, headers, body);
  const { outcome, status: responseStatus, body: responseBody, durationMs } = sent;
  return { id, at, outcome, responseStatus, responseBody, durationMs };
}

/** What an attempt makes of its delivery: the write, and the seconds to the next attempt if there is to be one. */
function consequence(deps: DeliverDeps, delivery: Delivery, attempt: Attempt): Pick<Attempted, 'status'> & Next {
  const attempts = [...delivery.attempts, attempt].slice(-ATTEMPTS_KEPT);
  const set = { attempts };
  if (attempt.outcome === 'DELIVERED') {
    return { status: 'DELIVERED', write: step(delivery, { ...set, status: 'DELIVERED', nextAttemptAt: null }) };
  }
  const tries = delivery.tries + 1;
  const delay = deps.settings.webhookRetrySchedule[delivery.tries];
  if (delay === undefined) {
    return { status: 'FAILED', write: step(delivery, { ...set, tries, status: 'FAILED', nextAttemptAt: null }) };
  }
  const nextAttemptAt = new Date(deps.now().getTime() + delay * 1000).toISOString();
  const due = delay <= DELAY_MOST ? queuedFor(delivery.id, nextAttemptAt) : waitingFor(delivery.id, nextAttemptAt);
  return { status: 'PENDING', write: step(delivery, { ...set, tries, nextAttemptAt }, due), delay };
}

interface Next {
  write: Write;
  delay?: number;
}

async function record(deps: DeliverDeps, delivery: Delivery, attempt: Attempt, before: Webhook): Promise<Attempted> {
  const { accountId, webhookId } = delivery;
  const { status, write, delay } = consequence(deps, delivery, attempt);
  const endpoint = { accountId, id: webhookId };
  // A quick attempt may be judged by what was read before it; a slow one saw others end meanwhile.
  const known = attempt.durationMs > QUICK ? undefined : before;
  let disabled = false;
  if (attempt.outcome === 'DELIVERED') await recordSuccess(deps, endpoint, write, known);
  else disabled = await recordFailure(deps, endpoint, write, known);
  const unqueued = delay === undefined || delay > DELAY_MOST ? undefined : await queueNext(deps, delivery, delay);
  return {
    ...{ outcome: attempt.outcome, durationMs: attempt.durationMs, disabled },
    ...(status ? { status } : {}),
    ...(unqueued === undefined ? {} : { unqueued }),
    ...(delivery.attempts.length === 0 ? { lagMs: Date.parse(attempt.at) - Date.parse(delivery.createdAt) } : {}),
  };
}

/** The next attempt is written down already: if it cannot be queued now, the reconciler does it. @returns why it was not */
async function queueNext(deps: DeliverDeps, delivery: Delivery, delay: number): Promise<string | undefined> {
  const message = messageOf({ ...delivery, serial: delivery.serial + 1 });
  try {
    await deps.queue.send([{ message, delay }]);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
