import { Delivery, deliveriesOf, queuedAt, type Webhook } from '../../table/entities/webhooks.ts';
import { joinKey } from '../../table/keys.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, timestampBefore } from '../time.ts';

/** Deliveries made this long before the hold may have had attempts left then, in milliseconds. */
const LOOKBACK_MS = DAY_MS;
/** Number of deliveries written at once. */
const CONCURRENCY = 20;

/**
 * Releases the deliveries that were held for an endpoint: each is due now, and the stream queues it. Those that it does not find
 * are looked at again within the hour. May be repeated.
 *
 * @param before the endpoint as it was while it was held
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
  const what = { set, remove: ['held'], when: { step: { is: step } } };
  // On a conflict an attempt was made meanwhile.
  await ignoreConflict(deps.table.write(Delivery, change(Delivery, { accountId, id }, what, concurrentUpdate)));
}
