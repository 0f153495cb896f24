import { Delivery, deliveriesOf, queuedAt, type Webhook } from '../../table/entities/webhooks.ts';
import { joinKey } from '../../table/keys.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, timestampBefore } from '../time.ts';

/** Deliveries created up to this long before the hold may still have had attempts left, in milliseconds. */
const LOOKBACK_MS = DAY_MS;
/** Number of deliveries that are written concurrently. */
const CONCURRENCY = 20;

/**
 * Releases the held deliveries of an endpoint: each becomes due now, and the stream queues it. Deliveries that it misses are
 * checked again within the hour. Idempotent.
 *
 * @param before the endpoint as it was during the hold
 */
export async function releaseHeld(deps: Pick<Deps, 'table' | 'now'>, before: Webhook): Promise<void> {
  const { id: webhookId, heldSince } = before;
  if (!heldSince) return;
  const held: Delivery[] = [];
  const releaseAll = () => Promise.all(held.splice(0).map((delivery) => release(deps, delivery)));
  const after = joinKey(timestampBefore(heldSince, LOOKBACK_MS));
  for await (const delivery of deps.table.each(Delivery, deliveriesOf(webhookId), after)) {
    if (delivery.status === 'PENDING' && delivery.held) held.push(delivery);
    if (held.length === CONCURRENCY) await releaseAll();
  }
  await releaseAll();
}

async function release(deps: Pick<Deps, 'table' | 'now'>, { accountId, id, step }: Delivery): Promise<void> {
  const now = deps.now().toISOString();
  const set = { nextAttemptAt: now, resendAt: now, step: step + 1, ...queuedAt(id, now) };
  const update = { set, remove: ['held'], when: { step: { is: step } } };
  // A conflict means that an attempt was made in the meantime.
  await tryChange(deps, Delivery, { accountId, id }, update);
}
