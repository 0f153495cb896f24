import { fanOut, queueAttempts, queueDeliveries } from '../domain/webhooks/fan-out.ts';
import { appendToFeed, MAX_APPENDED } from '../domain/webhooks/feed.ts';
import { releaseHeld } from '../domain/webhooks/held.ts';
import { Delivery, Event, Webhook } from '../table/entities/webhooks.ts';
import { inGroups, on, type Rules } from './on.ts';
import { present } from './trigger.ts';

type WebhookRuleDeps = Parameters<typeof fanOut>[0] &
  Parameters<typeof queueDeliveries>[0] &
  Parameters<typeof releaseHeld>[0];

/** The maximum number of messages in one call to the queue. */
const BATCH_SIZE = 10;

/** Rules about events and their deliveries. */
export function webhookRules(deps: WebhookRuleDeps): Rules {
  const queued = inGroups(BATCH_SIZE, (messages: Parameters<typeof queueAttempts>[1]) => queueAttempts(deps, messages));
  const appended = inGroups<Event>(MAX_APPENDED, (events) => appendToFeed(deps, events));
  return {
    'event.fan-out': queued(on(Event).created((event) => fanOut(deps, event))),
    'event.append': appended(on(Event).created(async (event) => [event])),
    'webhook.release-held': on(Webhook).updated(
      { from: { heldSince: present }, to: { heldSince: undefined } },
      (_, { before }) => releaseHeld(deps, before),
    ),
    'delivery.queue-resend': on(Delivery).sets('resendAt', (delivery) => queueDeliveries(deps, [delivery])),
  };
}
